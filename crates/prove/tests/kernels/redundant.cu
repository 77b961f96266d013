// --block 64 --grid 4
// Barriers that nothing needs: needed_ is proved to have none, needless_ has one.

__global__ void needed_between(int *out) {
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = s[63 - threadIdx.x];
}
__global__ void needless_twice(int *out) {
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = s[63 - threadIdx.x];
}
__global__ void needless_own_element(int *out) {
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = s[threadIdx.x];
}

// One place of the source, inlined twice: the first use is needless, the second is not.
__device__ void publish(int *s, int v) {
    s[threadIdx.x] = v;
    __syncthreads();
}
__global__ void needed_inlined_twice(int *out) {
    __shared__ int s[64], t[64];
    publish(s, threadIdx.x);
    publish(t, s[threadIdx.x]);
    out[blockIdx.x * 64 + threadIdx.x] = t[63 - threadIdx.x];
}
__global__ void needless_inlined_twice(int *out) {
    __shared__ int s[64], t[64];
    publish(s, threadIdx.x);
    publish(t, s[threadIdx.x]);
    out[blockIdx.x * 64 + threadIdx.x] = t[threadIdx.x];
}
// No data race without the barrier, but another result.
__global__ void open_atomics(int *c) {
    __shared__ int n;
    atomicExch(&n, 0);
    __syncthreads();
    atomicAdd(&n, 1);
    __syncthreads();
    atomicMax(c, atomicAdd(&n, 0));
}
__global__ void open_publication(int *data, int *flag) {
    data[blockIdx.x * 64 + threadIdx.x] = 1;
    __syncthreads();
    if (threadIdx.x == 0) atomicExch(flag + blockIdx.x, 1);
}
__global__ void open_fence(int *data) {
    data[blockIdx.x * 64 + threadIdx.x] = 1;
    __threadfence();
    __syncthreads();
}
__global__ void open_volatile(volatile int *data) {
    data[blockIdx.x * 64 + threadIdx.x] = 1;
    __syncthreads();
    data[blockIdx.x * 64 + threadIdx.x] = 2;
}
__global__ void open_count(int *out, const int *in) {
    out[blockIdx.x * 64 + threadIdx.x] = __syncthreads_count(in[threadIdx.x]);
}
__global__ void needless_beside_a_count(int *out, const int *in) {
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = __syncthreads_count(in[threadIdx.x]);
}
// The condition of the second barrier is only common to all because of the first.
__global__ void open_for_another_barrier(int *out, const int *in) {
    __shared__ int go;
    if (threadIdx.x == 0) go = in[blockIdx.x];
    __syncthreads();
    if (go) {
        __shared__ int s[64];
        s[threadIdx.x] = threadIdx.x;
        __syncthreads();
        out[blockIdx.x * 64 + threadIdx.x] = s[63 - threadIdx.x];
    }
}
// Only some threads come to the second barrier: that one is better left out, and only that one.
__global__ void needless_divergent(int *out) {
    out[blockIdx.x * 64 + threadIdx.x] = 1;
    __syncthreads();
    if (threadIdx.x < 32) __syncthreads();
}
