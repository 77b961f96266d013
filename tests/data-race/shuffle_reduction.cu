// A reduction through shuffles, one value per warp in shared memory: clean.
// lockstep: run --block 128 --grid 2 --arg 'in=i32[256]:iota' --arg 'out=i32[2]'
__global__ void k(const int *in, int *out) {
    __shared__ int warps[4];
    int t = threadIdx.x;
    int v = in[blockIdx.x * blockDim.x + t];
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_down_sync(0xffffffff, v, d);
    if (t % 32 == 0)
        warps[t / 32] = v;
    __syncthreads();
    if (t == 0)
        out[blockIdx.x] = warps[0] + warps[1] + warps[2] + warps[3];
}
