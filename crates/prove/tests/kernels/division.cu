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

__global__ void clean_by_a_number(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n * 64) out[i % 64 * n + i / 64] = in[i];
}

__global__ void clean_strided(float *out, const float *in, int B, int H, int W) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < B * H * W; i += gridDim.x * blockDim.x) {
        int w = i % W, h = (i / W) % H, b = i / (W * H);
        out[(b * W + w) * H + h] = in[i];
    }
}
