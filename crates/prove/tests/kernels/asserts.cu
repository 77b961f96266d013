// --block 64 --grid 4
// Assertions.

__device__ int table[4];
__global__ void holds_by_index(int *a) { assert(threadIdx.x < 64); }
__global__ void fails_by_index(int *a) { assert(threadIdx.x < 63); }
__global__ void holds_under_guard(int *a, int n) {
    if (n > 3 && (int)threadIdx.x > n) assert(threadIdx.x > 4);
}
__global__ void holds_in_loop(int *a) {
    for (int i = threadIdx.x; i < 256; i += 64) assert(i % 64 == (int)threadIdx.x);
}
__global__ void fails_in_loop(int *a) {
    for (int i = threadIdx.x; i < 257; i += 64) assert(i < 256);
}
__global__ void perhaps_by_data(const int *a) { assert(a[threadIdx.x] > 0); }
__global__ void holds_by_same_data(const int *a) {
    if (a[threadIdx.x] > 5) assert(a[threadIdx.x] > 0);
}
__global__ void holds_of_own_store(int *a) {
    a[blockIdx.x * 64 + threadIdx.x] = 7;
    if (blockIdx.x == 1) assert(a[blockIdx.x * 64 + threadIdx.x] == 7);
}
__global__ void holds_nowhere(int *a) { a[blockIdx.x * 64 + threadIdx.x] = 7; }

// A precondition of a function is its caller's to keep.
__device__ int below(int i, int n) {
    __requires(i < n);
    return i;
}
__global__ void holds_for_the_callee(int *a, int n) {
    __requires(n > 64);
    a[blockIdx.x * 64 + threadIdx.x] = below(threadIdx.x, n);
}
__global__ void fails_for_the_callee(int *a, int n) {
    __requires(n > 32);
    a[blockIdx.x * 64 + threadIdx.x] = below(threadIdx.x, n);
}
__global__ void holds_of_volatile_local(int *a) {
    volatile int i = threadIdx.x;
    i += 1;
    assert(i > 0);
}
