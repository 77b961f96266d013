// A scalar that nobody gives stands for every value; where it says how often a loop runs, only the ordinary one is looked at.
// lockstep: check --block 16 --grid 1 --symbolic --unroll 4
__global__ void shifted(const int *by, int *out, int n) {
    __shared__ int s[16];
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (by[0] < n) out[threadIdx.x] = s[(threadIdx.x + by[0]) & 15];
}

__global__ void in_rounds(const int *by, int *out, int n) {
    __shared__ int s[16];
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    for (int i = 0; i < n; ++i) out[threadIdx.x] = s[(threadIdx.x + by[i]) & 15];
}
