// lockstep: check --only out-of-bounds
// Launch bounds say that there are blocks of so many threads: a shared array that has no room for them is left.

__global__ void __launch_bounds__(512) reverse(float *out) {
    __shared__ float s[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    s[threadIdx.x] = out[i]; //~ out-of-bounds warning
    __syncthreads();
    out[i] = s[blockDim.x - 1 - threadIdx.x]; //~ out-of-bounds warning
}

__global__ void __launch_bounds__(512) guarded(float *out) {
    __shared__ float s[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x < 256) s[threadIdx.x] = out[i];
    __syncthreads();
    if (threadIdx.x < 256) out[i] = s[255 - threadIdx.x];
}

__global__ void __launch_bounds__(256) fits(float *out) {
    __shared__ float s[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    s[threadIdx.x] = out[i];
    __syncthreads();
    out[i] = s[blockDim.x - 1 - threadIdx.x];
}
