// --block 64 --grid 4

__global__ void clean_stride(int *a, int n) {
    for (int i = blockIdx.x * 64 + threadIdx.x; i < 4096; i += 256) a[i] = 1;
}
__global__ void racy_stride(int *a, int n) {
    for (int i = blockIdx.x * 64 + threadIdx.x; i < 4096; i += 255) a[i] = threadIdx.x;
}
__global__ void clean_stride_of_n(int *a, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) a[i] = 1;
}
__global__ void clean_while(int *a) {
    int i = 0;
    while (i < 10) {
        a[(blockIdx.x * 64 + threadIdx.x) * 10 + i] = i;
        ++i;
    }
}
__global__ void racy_while(int *a) {
    int i = 0;
    while (i < 10) {
        a[(blockIdx.x * 64 + threadIdx.x) * 9 + i] = threadIdx.x;
        ++i;
    }
}
__global__ void clean_do(int *a) {
    int i = 0;
    do {
        a[(blockIdx.x * 64 + threadIdx.x) * 10 + i] = i;
        ++i;
    } while (i < 10);
}
__global__ void racy_do(int *a) {
    int i = 0;
    do {
        a[(blockIdx.x * 64 + threadIdx.x) * 10 + i] = threadIdx.x;
        ++i;
    } while (i <= 10);
}
__global__ void clean_down(int *a) {
    for (int i = 9; i >= 0; --i) a[(blockIdx.x * 64 + threadIdx.x) * 10 + i] = i;
}
__global__ void clean_multiplied(int *a) {
    for (int s = 1; s < 64; s *= 2) a[(blockIdx.x * 64 + threadIdx.x) * 64 + s] = s;
}
__global__ void racy_multiplied(int *a) {
    for (int s = 1; s <= 64; s <<= 1) a[(blockIdx.x * 64 + threadIdx.x) * 64 + s] = threadIdx.x, a[0] += 0;
}
__global__ void clean_divided(int *a) {
    for (int s = 32; s > 0; s /= 2) a[(blockIdx.x * 64 + threadIdx.x) * 33 + s] = s;
}
__global__ void clean_carried(int *a) {
    int x = threadIdx.x;
    for (int i = 0; i < 8; ++i) {
        a[blockIdx.x * 512 + x] = i;
        x += 64;
    }
}
__global__ void racy_carried(int *a) {
    int x = threadIdx.x;
    for (int i = 0; i < 8; ++i) {
        a[blockIdx.x * 512 + x] = threadIdx.x;
        x += 63;
    }
}
__global__ void clean_break(int *a, const int *stop) {
    for (int i = 0; i < 16; ++i) {
        if (stop[i]) break;
        a[(blockIdx.x * 64 + threadIdx.x) * 16 + i] = 1;
    }
}
__global__ void maybe_break(int *a, const int *stop) {
    for (int i = 0; i < 16; ++i) {
        if (stop[i]) break;
        a[(blockIdx.x * 64 + threadIdx.x) * 15 + i] = threadIdx.x;
    }
}
__global__ void clean_nested(int *a) {
    for (int i = 0; i < 4; ++i)
        for (int j = i; j < 4; ++j) a[((blockIdx.x * 64 + threadIdx.x) * 4 + i) * 4 + j] = 1;
}
__global__ void clean_after_loop(int *a) {
    int x = 0;
    for (int i = 0; i < 5; ++i) x += 3;
    a[(blockIdx.x * 64 + threadIdx.x) * 16 + x] = 1;
}

// Loops with barriers.

__global__ void clean_reduction(float *in, float *out) {
    __shared__ float s[64];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 64 + t];
    __syncthreads();
    for (int d = 32; d > 0; d >>= 1) {
        if (t < d) s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}
__global__ void racy_reduction(float *in, float *out) {
    __shared__ float s[64];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 64 + t];
    __syncthreads();
    for (int d = 32; d > 0; d >>= 1) {
        if (t < d) s[t] += s[t + d];
    }
    if (t == 0) out[blockIdx.x] = s[0];
}
__global__ void racy_reduction_overlap(float *in, float *out) {
    __shared__ float s[64];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 64 + t];
    __syncthreads();
    for (int d = 32; d > 0; d >>= 1) {
        if (t <= d) s[t] += s[t + d - (t == d)];
        __syncthreads();
    }
}
__global__ void clean_double_buffer(int *in, int *out) {
    __shared__ int s[2][64];
    int t = threadIdx.x, from = 0, to = 1;
    s[0][t] = in[t];
    __syncthreads();
    for (int d = 1; d < 64; d *= 2) {
        s[to][t] = s[from][t] + (t >= d ? s[from][t - d] : 0);
        __syncthreads();
        int x = from; from = to; to = x;
    }
    out[blockIdx.x * 64 + t] = s[from][t];
}
__global__ void racy_single_buffer(int *in, int *out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    for (int d = 1; d < 64; d *= 2) {
        if (t >= d) s[t] += s[t - d];
        __syncthreads();
    }
    out[blockIdx.x * 64 + t] = s[t];
}
__global__ void clean_tiles(const float *a, const float *b, float *c, int n) {
    __shared__ float x[64], y[64];
    float sum = 0;
    for (int k = 0; k < n; ++k) {
        x[threadIdx.x] = a[k * 64 + threadIdx.x];
        y[threadIdx.x] = b[k * 64 + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < 64; ++j) sum += x[j] * y[63 - j];
        __syncthreads();
    }
    c[blockIdx.x * 64 + threadIdx.x] = sum;
}
__global__ void racy_tiles(const float *a, float *c, int n) {
    __shared__ float x[64];
    float sum = 0;
    for (int k = 0; k < 8; ++k) {
        x[threadIdx.x] = a[k * 64 + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < 64; ++j) sum += x[j];
    }
    c[blockIdx.x * 64 + threadIdx.x] = sum;
}

// The guard holds in every iteration, also where its bound is below the first value.
__global__ void clean_guard_below_first(int *a) {
    for (int i = threadIdx.x; i <= 20; i += 32) a[blockIdx.x * 21 + i] = i;
}

// A step under a condition that does not change.
__global__ void clean_conditional_step(int *a, int n) {
    int x = threadIdx.x;
    bool active = threadIdx.x < 40;
    for (int i = 0; i < 8; ++i) {
        if (active) {
            a[blockIdx.x * 512 + x] = i;
            x += 64;
        }
    }
}
__global__ void racy_conditional_step(int *a, int n) {
    int x = threadIdx.x;
    bool active = threadIdx.x < 40;
    for (int i = 0; i < 8; ++i) {
        if (active) {
            a[blockIdx.x * 512 + x] = threadIdx.x;
            x += 32;
        }
    }
}

// What an iteration has computed is what the next one begins with.
__global__ void clean_kept_for_the_next(int *a, const int *in, int n) {
    __shared__ int s[128];
    int t = threadIdx.x, at = t;
    for (int k = 0; k < n; ++k) {
        s[at] = in[k];
        __syncthreads();
        a[blockIdx.x * 64 + t] += s[at ^ 1];
        __syncthreads();
        at = (t ^ k) & 127;
    }
}
__global__ void alarm_kept_for_the_next(int *a, const int *in, int n) {
    __shared__ int s[128];
    int t = threadIdx.x, at = t;
    for (int k = 0; k < n; ++k) {
        s[at] = t;
        __syncthreads();
        a[blockIdx.x * 64 + t] += s[at ^ 1];
        __syncthreads();
        at = (t | k) & 127;
    }
}
