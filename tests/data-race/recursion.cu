// A recursive sum over elements that other threads write.
// lockstep[racy]: run --block 64 --grid 1 --arg 'out=i32[64]'
// lockstep[clean]: run --block 64 --grid 1 --arg 'out=i32[64]' -DBARRIER
__device__ int sum(const int *s, int n) {
    if (n == 0)
        return 0;
    return sum(s, n / 2) ^ s[n]; //~[racy] data-race
}

__global__ void k(int *out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = t; //~[racy] data-race
#ifdef BARRIER
    __syncthreads();
#endif
    out[t] = sum(s, t);
}
