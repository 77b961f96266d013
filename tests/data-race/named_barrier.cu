// Two warps meet at barrier 1; the other two have nothing to do with it. Clean.
// lockstep: run --block 128 --grid 1 --arg 'out=i32[128]'
__global__ void k(int *out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    if (t < 64) {
        s[t] = t;
        asm volatile("bar.sync 1, 64;" ::: "memory");
        out[t] = s[t ^ 32];
    } else {
        out[t] = t;
    }
}
