// The mask names lanes that have returned: their values are anything.
// lockstep: run --block 64 --grid 1 --arg 'out=i32[40]' --arg 'in=i32[40]:iota' --arg n=40
__global__ void tail(int *out, const int *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    out[i] = in[i] + __shfl_down_sync(0xffffffffu, in[i], 1); //~ barrier-divergence warning
}
