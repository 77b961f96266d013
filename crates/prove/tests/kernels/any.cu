// --block any --grid any
// Kernels for some launches only: the condition is found and named.

__global__ void clean_one_dimension(float *a, const float *b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += b[i];
}
__global__ void clean_any_reduction(float *in, float *out) {
    extern __shared__ float s[];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (int d = blockDim.x / 2; d > 0; d >>= 1) {
        if (t < d) s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}
__global__ void racy_whatever_the_launch(int *a) { a[threadIdx.x / 2] = threadIdx.x; }
__global__ void clean_atomics_only(int *a) { atomicAdd(a + threadIdx.y, 1); }

// An offset is no stride: no value of it is more ordinary than another.
__global__ void racy_offset(int *a, int offset) {
    if (blockIdx.x + blockIdx.y + blockIdx.z == 0 && threadIdx.y + threadIdx.z == 0)
        a[threadIdx.x] = a[threadIdx.x + offset];
}
