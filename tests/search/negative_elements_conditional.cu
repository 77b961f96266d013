// lockstep: search
// Elements are 0 or more: that all of them are -1, one less than the constant they are compared with, only Lockstep tries.
__global__ void mark(const int *at, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (at[i] == 0) return;
    out[at[i] > 0 ? i + 1 : at[i] + 1] = i; //~ data-race warning
}
