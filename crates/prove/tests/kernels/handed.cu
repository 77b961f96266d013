// --block 256 --grid 4
// Values that one thread hands to its block through shared memory.

__global__ void clean_block_number(const float *in, float *out, int *c) {
    __shared__ int bid;
    if (threadIdx.x == 0) bid = atomicAdd(c, 1);
    __syncthreads();
    out[bid * 256 + threadIdx.x] = in[threadIdx.x];
}
__global__ void clean_reserve(const float *in, float *out, int *c) {
    __shared__ int at;
    if (threadIdx.x == 0) at = atomicAdd(c, 256);
    __syncthreads();
    out[at + threadIdx.x] = in[threadIdx.x];
}
__global__ void clean_queue(const float *in, float *out, int *c, int n) {
    __shared__ int at;
    while (true) {
        __syncthreads();
        if (threadIdx.x == 0) at = atomicAdd(c, (int)blockDim.x);
        __syncthreads();
        if (at >= n) break;
        int i = at + threadIdx.x;
        if (i < n) out[i] = in[i];
    }
}
__global__ void clean_compact(const int *in, int *out, int *c, int n) {
    __shared__ int l, base;
    if (threadIdx.x == 0) l = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x, pos = -1;
    if (i < n && in[i] > 0) pos = atomicAdd(&l, 1);
    __syncthreads();
    if (threadIdx.x == 0) base = atomicAdd(c, l);
    __syncthreads();
    if (pos >= 0) out[base + pos] = in[i];
}
__global__ void clean_compact_loop(const int *in, int *out, int *c, int n) {
    __shared__ int l, base;
    for (int b = 0; b < n; b += gridDim.x * blockDim.x) {
        if (threadIdx.x == 0) l = 0;
        __syncthreads();
        int i = b + blockIdx.x * blockDim.x + threadIdx.x, pos = -1;
        if (i < n && in[i] > 0) pos = atomicAdd(&l, 1);
        __syncthreads();
        if (threadIdx.x == 0) base = atomicAdd(c, l);
        __syncthreads();
        if (pos >= 0) out[base + pos] = in[i];
        __syncthreads();
    }
}
__global__ void maybe_reserve_little(const float *in, float *out, int *c) {
    __shared__ int at;
    if (threadIdx.x == 0) at = atomicAdd(c, 100);
    __syncthreads();
    out[at + threadIdx.x] = in[threadIdx.x];
}
__global__ void maybe_reserve_half(const float *in, float *out, int *c) {
    __shared__ int at;
    if (threadIdx.x == 0) at = atomicAdd(c, 256);
    __syncthreads();
    out[at / 2 + threadIdx.x] = in[threadIdx.x];
}
__global__ void maybe_reserve_no_barrier(const float *in, float *out, int *c) {
    __shared__ int at;
    if (threadIdx.x == 0) at = atomicAdd(c, 256);
    out[at + threadIdx.x] = in[threadIdx.x];
}
__global__ void maybe_reserve_sometimes(const float *in, float *out, int *c) {
    __shared__ int at;
    if (threadIdx.x == 0 && in[blockIdx.x] > 0) at = atomicAdd(c, 256);
    __syncthreads();
    out[at + threadIdx.x] = in[threadIdx.x];
}
__global__ void maybe_reserve_once_for_loop(const float *in, float *out, int *c, int n) {
    __shared__ int at;
    if (threadIdx.x == 0) at = atomicAdd(c, 256);
    __syncthreads();
    for (int k = 0; k < n; k++) out[at + k * 256 + threadIdx.x] = in[threadIdx.x];
}
__global__ void maybe_queue_shared_number(const float *in, float *out, int *c, int n) {
    __shared__ int at;
    for (int k = 0; k < n; k++) {
        __syncthreads();
        if (threadIdx.x == 0 && k % 2 == 0) at = atomicAdd(c, (int)blockDim.x);
        __syncthreads();
        out[at + threadIdx.x + k] = in[k];
    }
}
__global__ void maybe_compact_no_reset_barrier(const int *in, int *out, int *c, int n) {
    __shared__ int l, base;
    if (threadIdx.x == 0) l = 0;
    int i = blockIdx.x * blockDim.x + threadIdx.x, pos = -1;
    if (i < n && in[i] > 0) pos = atomicAdd(&l, 1);
    __syncthreads();
    if (threadIdx.x == 0) base = atomicAdd(c, l);
    __syncthreads();
    if (pos >= 0) out[base + pos] = in[i];
}
__global__ void maybe_compact_adds_one(const int *in, int *out, int *c, int n) {
    __shared__ int l, base;
    if (threadIdx.x == 0) l = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x, pos = -1;
    if (i < n && in[i] > 0) pos = atomicAdd(&l, 1);
    __syncthreads();
    if (threadIdx.x == 0) base = atomicAdd(c, 1);
    __syncthreads();
    if (pos >= 0) out[base + pos] = in[i];
}
__global__ void maybe_compact_second_round(const int *in, int *out, int *c, int n) {
    __shared__ int l, base;
    if (threadIdx.x == 0) l = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x, pos = -1;
    if (i < n && in[i] > 0) pos = atomicAdd(&l, 1);
    __syncthreads();
    if (threadIdx.x == 0) base = atomicAdd(c, l);
    __syncthreads();
    if (i < n && in[i] < 0) pos = atomicAdd(&l, 1);
    if (pos >= 0) out[base + pos] = in[i];
}
__global__ void maybe_compact_starts_behind(const int *in, int *out, int *c, int n) {
    __shared__ int l, base;
    if (threadIdx.x == 0) l = -5;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x, pos = -1;
    if (i < n && in[i] > 0) pos = atomicAdd(&l, 1);
    __syncthreads();
    if (threadIdx.x == 0) base = atomicAdd(c, l);
    __syncthreads();
    if (i < n && in[i] > 0) out[base + pos] = in[i];
}
__global__ void maybe_compact_set_in_one_block(const int *in, int *out, int *c, int n) {
    __shared__ int l, base;
    if (threadIdx.x == 0 && blockIdx.x == 0) l = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x, pos = -1;
    if (i < n && in[i] > 0) pos = atomicAdd(&l, 1);
    __syncthreads();
    if (threadIdx.x == 0) base = atomicAdd(c, l);
    __syncthreads();
    if (pos >= 0) out[base + pos] = in[i];
}
__global__ void maybe_queue_of_the_round_before(const float *in, float *out, int *c, int n) {
    __shared__ int at;
    for (int k = 0; k < n; ++k) {
        __syncthreads();
        if (k > 0) out[at + threadIdx.x] = in[k];
        __syncthreads();
        if (threadIdx.x == 0) at = atomicAdd(c, 256);
    }
}
__global__ void maybe_handed_twice(const float *in, float *out, int *c) {
    __shared__ int at;
    if (threadIdx.x == 0) at = atomicAdd(c, 256);
    __syncthreads();
    if (threadIdx.x == 9 && at > 4096) at = 0;
    __syncthreads();
    out[at + threadIdx.x] = in[threadIdx.x];
}
__global__ void maybe_leader_is_gone(const float *in, float *out, int *c, int n) {
    __shared__ int at;
    if (blockIdx.x == 1 && threadIdx.x == 0) return;
    if (threadIdx.x == 0) at = atomicAdd(c, 256);
    __syncthreads();
    out[at + threadIdx.x] = in[threadIdx.x];
}
// What is taken may be less than nothing.
__global__ void maybe_gives_back(const int *in, int *out, int *c) {
    __shared__ int at;
    if (threadIdx.x == 0) at = atomicAdd(c, in[blockIdx.x]);
    __syncthreads();
    if (threadIdx.x < in[blockIdx.x]) out[at + threadIdx.x] = 1;
}
