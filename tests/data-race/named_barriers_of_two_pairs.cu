// Warps 0, 1 meet at barrier 1, warps 2, 3 at barrier 2; data crosses from one pair to the other.
// lockstep: run --block 128 --grid 1 --arg 'out=i32[128]'
__global__ void k(int *out) {
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = t; //~ data-race
    if (t < 64)
        asm volatile("bar.sync 1, 64;" ::: "memory");
    else
        asm volatile("bar.sync 2, 64;" ::: "memory");
    out[t] = s[t ^ 64]; //~ data-race
}
