// --block 64 --grid 4,3
// The last block of a row, or of a plane.

#define HEAD const float *in, float *partial, float *out, unsigned *c
__device__ unsigned rows[64];
__device__ float sum(const float *partial, int n) {
    float r = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) r += partial[i];
    return r;
}

__global__ void clean_rows(const float *in, float *partial, float *out) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        partial[blockIdx.y * gridDim.x + blockIdx.x] = in[blockIdx.x];
        __threadfence();
        last = atomicAdd(&rows[blockIdx.y], 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        float r = 0;
        for (int i = 0; i < gridDim.x; i++) r += partial[blockIdx.y * gridDim.x + i];
        out[blockIdx.y] = r;
        rows[blockIdx.y] = 0;
    }
}
__global__ void clean_plane(HEAD) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        partial[blockIdx.y * gridDim.x + blockIdx.x] = in[blockIdx.x];
        __threadfence();
        last = atomicAdd(c, 1u) == gridDim.x * gridDim.y - 1;
    }
    __syncthreads();
    if (last) {
        float r = sum(partial, gridDim.x * gridDim.y);
        out[threadIdx.x] = r;
    }
}
__global__ void maybe_rows_all(HEAD) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        partial[blockIdx.y * gridDim.x + blockIdx.x] = in[blockIdx.x];
        __threadfence();
        last = atomicAdd(&rows[blockIdx.y], 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (last) {
        float r = sum(partial, gridDim.x * gridDim.y);
        out[blockIdx.y * blockDim.x + threadIdx.x] = r;
    }
}
__global__ void maybe_plane_counts_row(HEAD) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        partial[blockIdx.y * gridDim.x + blockIdx.x] = in[blockIdx.x];
        __threadfence();
        last = atomicAdd(c, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (last) {
        float r = sum(partial, gridDim.x * gridDim.y);
        out[threadIdx.x] = r;
    }
}
