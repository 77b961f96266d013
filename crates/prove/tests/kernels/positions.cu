// Positions in planes and rows: digits of several numbers, strides of 64 bits, rows by bytes, halves of a row.

__global__ void clean_planes(float *out, const float *in, int nx, int ny, int nz) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || x >= nx - 1 || y < 1 || y >= ny - 1) return;
    for (int z = 1; z < nz - 1; z++) {
        int i = (z * ny + y) * nx + x;
        out[i] = in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] + in[i - nx * ny] + in[i + nx * ny];
    }
}

// A column beyond the row.
__global__ void racy_planes(float *out, const float *in, int nx, int ny, int nz) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= nx + 1 || y >= ny) return;
    for (int z = 0; z < nz; z++) out[(z * ny + y) * nx + x] = in[z];
}

__global__ void clean_batched(float *c, const float *a, int m, int n, long stride) {
    int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < m && col < n) c[blockIdx.z * stride + row * n + col] = a[col];
}

// A row more than there is room for: the stride is a guard's own.
__global__ void racy_batched(float *c, const float *a, int m, int n) {
    int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    long stride = (long)m * n;
    if (row <= m && col < n) c[blockIdx.z * stride + row * n + col] = a[col];
}

__global__ void clean_pitch(char *out, const float *in, size_t pitch, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h) ((float *)(out + y * pitch))[x] = in[x];
}

// Rows of as many bytes as there are elements.
__global__ void racy_pitch(char *out, const float *in, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    size_t pitch = w;
    if (x < w && y < h) ((float *)(out + y * pitch))[x] = in[x];
}

// Elements of four bytes at steps of three.
__global__ void racy_pitch_in_a_row(char *out, const float *in, size_t pitch, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h) *(float *)(out + y * pitch + 3 * x) = in[x];
}

__global__ void clean_halves(float *q, const float *cs, int heads, int dim) {
    float *p = q + (blockIdx.x * heads + blockIdx.y) * dim;
    for (int i = threadIdx.x; i < dim / 2; i += blockDim.x) {
        float a = p[i], b = p[i + dim / 2];
        p[i] = a * cs[i] - b;
        p[i + dim / 2] = a + b * cs[i];
    }
}

// The middle is of both halves.
__global__ void racy_halves(float *q, const float *cs, int heads, int dim) {
    float *p = q + (blockIdx.x * heads + blockIdx.y) * dim;
    for (int i = threadIdx.x; i <= dim / 2; i += blockDim.x) {
        float a = p[i], b = p[i + dim / 2];
        p[i] = a * cs[i] - b;
        p[i + dim / 2] = a + b * cs[i];
    }
}

__global__ void clean_scaled(float *out, const float *in, int H, int W, int s) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, c = blockIdx.z;
    if (x >= W || y >= H) return;
    for (int j = 0; j < s; j++)
        for (int i = 0; i < s; i++) out[(c * H * s + y * s + j) * (W * s) + x * s + i] = in[(c * H + y) * W + x];
}

__global__ void maybe_scaled(float *out, const float *in, int H, int W, int s) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, c = blockIdx.z;
    if (x >= W || y >= H) return;
    for (int j = 0; j < s; j++)
        for (int i = 0; i <= s; i++) out[(c * H * s + y * s + j) * (W * s) + x * s + i] = in[(c * H + y) * W + x];
}

__global__ void clean_wide_planes(float *out, const float *in, int nz, int ny, int nx) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z;
    if (x < nx && y < ny && z < nz) out[((size_t)z * ny + y) * nx + x] = in[x];
}

__global__ void racy_wide_planes(float *out, int ny, int nx) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z;
    if (x < nx && y <= ny) out[((size_t)z * ny + y) * nx + x] = x;
}
