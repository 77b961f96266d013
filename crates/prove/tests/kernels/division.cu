// Positions taken apart by division and put together in another order.

__global__ void clean_transposed(float *out, const float *in, int B, int S, int H, int D) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= B * S * H * D) return;
    int d = i % D, h = (i / D) % H, s = (i / (D * H)) % S, b = i / (D * H * S);
    out[((b * H + h) * S + s) * D + d] = in[i];
}

// Two sizes are exchanged.
__global__ void racy_transposed_exchanged(float *out, const float *in, int B, int S, int H, int D) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= B * S * H * D) return;
    int d = i % D, h = (i / D) % H, s = (i / (D * H)) % S, b = i / (D * H * S);
    out[((b * S + h) * H + s) * D + d] = in[i];
}

// A digit is left out.
__global__ void racy_transposed_without_batch(float *out, const float *in, int B, int S, int H, int D) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= B * S * H * D) return;
    int d = i % D, h = (i / D) % H, s = (i / (D * H)) % S;
    out[(h * S + s) * D + d] = in[i];
}

// By the wrong divisor: heads and rows overlap.
__global__ void racy_transposed_wrong_divisor(float *out, const float *in, int B, int S, int H, int D) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= B * S * H * D) return;
    int d = i % D, h = (i / D) % H, s = (i / (D * S)) % S, b = i / (D * H * S);
    out[((b * H + h) * S + s) * D + d] = in[i];
}

// A row that is too short by one.
__global__ void racy_transposed_short(float *out, const float *in, int B, int S, int H, int D) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= B * S * H * D) return;
    int d = i % D, h = (i / D) % H, s = (i / (D * H)) % S, b = i / (D * H * S);
    out[((b * H + h) * S + s) * (D - 1) + d] = in[i];
}

// What is left is divided further.
__global__ void clean_by_remainders(float *out, const float *in, int B, int H, int W) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= B * H * W) return;
    int b = i / (H * W), rest = i % (H * W);
    int y = rest / W, x = rest % W;
    out[(b * W + x) * H + y] = in[i];
}

// No batch: the top digit is a remainder too.
__global__ void clean_all_remainders(float *out, const float *in, int H, int W) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= H * W) return;
    out[(i % W) * H + (i / W) % H] = in[i];
}

// Beyond the end, the remainders begin again.
__global__ void racy_all_remainders(float *out, const float *in, int H, int W) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= H * W + 1) return;
    out[(i % W) * H + (i / W) % H] = in[i];
}

__global__ void clean_unsigned(float *out, const float *in, unsigned n, unsigned h, unsigned w) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n * h * w) out[((i / w) % h * n + i / (w * h)) * w + i % w] = in[i];
}

__global__ void clean_im2col(float *col, const float *im, int C, int H, int W, int K, int OH, int OW) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= C * OH * OW) return;
    int ow = i % OW, oh = (i / OW) % OH, c = i / (OW * OH);
    for (int ky = 0; ky < K; ky++)
        for (int kx = 0; kx < K; kx++)
            col[(((c * K + ky) * K + kx) * OH + oh) * OW + ow] = im[(c * H + oh + ky) * W + ow + kx];
}

__global__ void maybe_im2col(float *col, const float *im, int C, int H, int W, int K, int OH, int OW) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= C * OH * OW) return;
    int ow = i % OW, oh = (i / OW) % OH, c = i / (OW * OH);
    for (int ky = 0; ky < K; ky++)
        for (int kx = 0; kx <= K; kx++)
            col[(((c * K + ky) * K + kx) * OH + oh) * OW + ow] = im[(c * H + oh + ky) * W + ow + kx];
}

__global__ void clean_split(float *a, float *b, const float *in, int rows, int ca, int cb) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int w = ca + cb;
    if (i >= rows * w) return;
    int r = i / w, c = i % w;
    if (c < ca) a[r * ca + c] = in[i]; else b[r * cb + (c - ca)] = in[i];
}

__global__ void racy_split(float *a, float *b, const float *in, int rows, int ca, int cb) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int w = ca + cb;
    if (i >= rows * w) return;
    int r = i / w, c = i % w;
    if (c <= ca) a[r * ca + c] = in[i]; else b[r * cb + (c - ca)] = in[i];
}

__global__ void clean_joined(float *out, const float *a, const float *b, int rows, int ca, int cb) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows * ca) { int r = i / ca, c = i % ca; out[r * (ca + cb) + c] = a[i]; }
    if (i < rows * cb) { int r = i / cb, c = i % cb; out[r * (ca + cb) + ca + c] = b[i]; }
}

// The second half begins one too early.
__global__ void racy_joined(float *out, const float *a, const float *b, int rows, int ca, int cb) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows * ca) { int r = i / ca, c = i % ca; out[r * (ca + cb) + c] = a[i]; }
    if (i < rows * cb) { int r = i / cb, c = i % cb; out[r * (ca + cb) + ca - 1 + c] = b[i]; }
}

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

// Channels inside: a radix that is a number.
__global__ void clean_channels_inside(float *out, const float *in, int n, int h, int w) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n * h * w) return;
    int x = i % w, y = (i / w) % h, b = i / (w * h);
    for (int c = 0; c < 3; c++) out[((b * h + y) * w + x) * 3 + c] = in[((b * 3 + c) * h + y) * w + x];
}

__global__ void racy_channels_inside(float *out, const float *in, int n, int h, int w) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n * h * w) return;
    int x = i % w, y = (i / w) % h, b = i / (w * h);
    for (int c = 0; c < 4; c++) out[((b * h + y) * w + x) * 3 + c] = in[((b * 3 + c) * h + y) * w + x];
}
