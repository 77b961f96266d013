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

// Rows and columns: no index overflows where the area is an int.
__global__ void clean_rows(float *out, const float *in, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h) out[y * w + x] = in[y * w + x];
}
__global__ void racy_row_too_long(float *out, const float *in, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x <= w && y < h) out[y * w + x] = in[y * w + x];
}
__global__ void racy_rows_halved(float *out, const float *in, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h) out[y * w + x / 2] = in[y * w + x];
}
__global__ void racy_in_its_own_row(float *out, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h && x > 0) out[y * w + x] = out[y * w + x - 1];
}

__global__ void clean_histogram(unsigned *bins, const unsigned char *in, int n) {
    __shared__ unsigned s[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) s[i] = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&s[in[i]], 1);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x) atomicAdd(&bins[i], s[i]);
}
__global__ void maybe_histogram_without_barrier(unsigned *bins, const unsigned char *in, int n) {
    __shared__ unsigned s[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) s[i] = 0;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&s[in[i]], 1);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x) atomicAdd(&bins[i], s[i]);
}
