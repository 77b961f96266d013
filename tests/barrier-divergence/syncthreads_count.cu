// A barrier that counts, in uniform control flow: clean.
// lockstep: run --block 64 --grid 1 --arg 'out=i32[64]'
__global__ void k(int *out) {
    int t = threadIdx.x;
    out[t] = __syncthreads_count(t % 3 == 0);
}
