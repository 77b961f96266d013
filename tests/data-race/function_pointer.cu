// The access is behind a pointer to a function that a parameter selects.
// lockstep[own]: run --block 64 --grid 1 --arg 'out=i32[64]' --arg cross=0
// lockstep[cross]: run --block 64 --grid 1 --arg 'out=i32[64]' --arg cross=1
__device__ int own(const int *s, int t) {
    return s[t];
}

__device__ int crossed(const int *s, int t) {
    return s[63 - t]; //~[cross] data-race
}

__global__ void k(int *out, int cross) {
    __shared__ int s[64];
    int t = threadIdx.x;
    int (*read)(const int *, int) = cross ? crossed : own;
    s[t] = t; //~[cross] data-race
    out[t] = read(s, t);
}
