// Only one thread writes and only it reads: clean.
// lockstep: run --block 64 --grid 1 --arg 'out=i32[64]'
__global__ void k(int *out) {
    __shared__ int s;
    int t = threadIdx.x;
    if (t == 40)
        s = 1;
    out[t] = 0;
    if (t == 40)
        out[t] = s;
}
