// Producer arrives, consumer waits: clean.
// lockstep: run --block 64 --grid 1 --arg 'out=i32[32]'
__global__ void k(int *out) {
    __shared__ int s[32];
    int t = threadIdx.x;
    if (t < 32) {
        s[t] = 3 * t;
        asm volatile("bar.arrive 1, 64;" ::: "memory");
    } else {
        asm volatile("bar.sync 1, 64;" ::: "memory");
        out[t - 32] = s[t - 32];
    }
}
