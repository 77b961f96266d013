// The places are those in the helpers, not those of the calls.
// lockstep: run --block 64 --grid 1 --arg 'out=i32[64]'
__device__ void put(int *s, int i, int v) {
    s[i] = v; //~ data-race
}

__device__ int get(const int *s, int i) {
    return s[i]; //~ data-race
}

__global__ void k(int *out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    put(s, t, 2 * t);
    out[t] = get(s, 63 - t);
}
