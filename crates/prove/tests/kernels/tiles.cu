// --block 16,16 --grid any
// Tiles in shared memory, of matrices of any size.

__global__ void clean_transposition(float *out, const float *in, int w, int h) {
    __shared__ float t[16][17];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    if (x < w && y < h) t[threadIdx.y][threadIdx.x] = in[y * w + x];
    __syncthreads();
    x = blockIdx.y * 16 + threadIdx.x;
    y = blockIdx.x * 16 + threadIdx.y;
    if (x < h && y < w) out[y * h + x] = t[threadIdx.x][threadIdx.y];
}
__global__ void racy_transposition(float *out, const float *in, int w, int h) {
    __shared__ float t[16][17];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    if (x < w && y < h) t[threadIdx.y][threadIdx.x] = in[y * w + x];
    x = blockIdx.y * 16 + threadIdx.x;
    y = blockIdx.x * 16 + threadIdx.y;
    if (x < h && y < w) out[y * h + x] = t[threadIdx.x][threadIdx.y];
}
__global__ void clean_product(float *c, const float *a, const float *b, int n) {
    __shared__ float s[16][16], t[16][16];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < (n + 15) / 16; k++) {
        s[threadIdx.y][threadIdx.x] = y < n && k * 16 + threadIdx.x < n ? a[y * n + k * 16 + threadIdx.x] : 0;
        t[threadIdx.y][threadIdx.x] = x < n && k * 16 + threadIdx.y < n ? b[(k * 16 + threadIdx.y) * n + x] : 0;
        __syncthreads();
        for (int j = 0; j < 16; j++) sum += s[threadIdx.y][j] * t[j][threadIdx.x];
        __syncthreads();
    }
    if (x < n && y < n) c[y * n + x] = sum;
}
