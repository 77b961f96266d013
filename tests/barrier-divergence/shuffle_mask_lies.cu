// A shuffle of all lanes that half of them never execute: they wait at the barrier.
// lockstep: run --block 32 --grid 1 --arg 'out=i32[32]'
__global__ void k(int *out) {
    int t = threadIdx.x, v = t;
    if (t < 16)
        v = __shfl_down_sync(0xffffffff, v, 1); //~ barrier-divergence
    __syncthreads(); //~ barrier-divergence
    out[t] = v;
}
