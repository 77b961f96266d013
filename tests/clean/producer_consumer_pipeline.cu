// Warp 0 fills two buffers in turns, warp 1 empties them; two named barriers hand them over.
// lockstep: run --block 64 --grid 1 --arg 'in=i32[128]:iota' --arg 'out=i32[128]' --dump out
__global__ void k(const int *in, int *out) {
    __shared__ int buffer[2][32];
    int lane = threadIdx.x % 32;
    if (threadIdx.x < 32) {
        for (int i = 0; i < 4; i++) {
            buffer[i & 1][lane] = in[32 * i + lane];
            asm volatile("bar.sync 1, 64;" ::: "memory");
        }
    } else {
        for (int i = 0; i < 4; i++) {
            asm volatile("bar.sync 1, 64;" ::: "memory");
            out[32 * i + lane] = buffer[i & 1][lane ^ 1];
        }
    }
}
