// lockstep: search
// One warp fills a tile, the other empties it, and both meet at a numbered barrier that each has in its own arm. Taking one
// of the two away would leave the other waiting.
#define meet() asm volatile("bar.sync 1, 64;" ::: "memory")
__global__ void hand_over(const int *in, int *out) {
    __requires(blockDim.x == 64);
    __shared__ int tile[32];
    int t = threadIdx.x;
    if (t < 32) {
        tile[t] = in[blockIdx.x * 32 + t];
        meet();
    } else {
        meet();
        out[blockIdx.x * 32 + t - 32] = tile[63 - t];
    }
}
