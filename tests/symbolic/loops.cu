// A loop that runs as often as data says: longer than is looked at, nothing is proved.
// lockstep: check --block 16 --grid 1 --symbolic --unroll 6
__global__ void bounded(const int *rounds, int *out) {
    __shared__ int s[16];
    for (int i = 0; i < (rounds[0] & 3); ++i) {
        s[threadIdx.x] = i + threadIdx.x;
        __syncthreads();
        out[threadIdx.x] = s[15 - threadIdx.x];
        __syncthreads();
    }
}

__global__ void unbounded(const int *rounds, int *out) {
    __shared__ int s[16];
    for (int i = 0; i < rounds[0]; ++i) {
        s[threadIdx.x] = i + threadIdx.x;
        __syncthreads();
        out[threadIdx.x] = s[15 - threadIdx.x];
        __syncthreads();
    }
}
