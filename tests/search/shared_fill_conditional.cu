// How many elements are filled, the caller says.
// lockstep: check --block 32 --grid 1
__global__ void k(int *o, int n) {
    __shared__ int s[64];
    if (threadIdx.x == 0)
        for (int i = 0; i < n; i++)
            s[i] = i; //~ out-of-bounds warning
    __syncthreads();
    if (threadIdx.x < n && threadIdx.x < 64)
        o[threadIdx.x] = s[threadIdx.x];
}
