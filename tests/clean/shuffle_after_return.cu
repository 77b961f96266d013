// Lanes that have returned need not come to where the mask names them.
// lockstep: run --block 64 --grid 1 --arg 'out=i32[40]' --arg 'in=i32[40]:iota' --arg n=40
__global__ void tail(int *out, const int *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    __syncwarp();
    int first = __shfl_sync(0xffffffffu, in[i], 0);
    if (__any_sync(0xffffffffu, first < 0)) first = 0;
    out[i] = in[i] + first;
}
