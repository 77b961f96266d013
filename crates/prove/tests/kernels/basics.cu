// --block 64 --grid 8
// Names say what is expected: clean_ is proved, racy_ is found, maybe_ is a possible alarm.

__global__ void clean_own_element(float *a) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] = a[i] + 1.0f;
}

__global__ void racy_same_element(int *a) { a[0] = threadIdx.x; }

__global__ void racy_neighbour(int *a) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] = a[i + 1];
}

__global__ void racy_between_blocks(int *a) { a[threadIdx.x] = blockIdx.x; }

__global__ void clean_barrier(const int *in, int *a) {
    __shared__ int s[64];
    s[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    a[blockIdx.x * 64 + threadIdx.x] = s[63 - threadIdx.x];
}

__global__ void racy_missing_barrier(int *out) {
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x;
    out[blockIdx.x * 64 + threadIdx.x] = s[63 - threadIdx.x];
}

__global__ void clean_two_dimensions(const int *in, int *a) {
    __shared__ int t[8][8];
    int x = threadIdx.x % 8, y = threadIdx.x / 8;
    t[y][x] = in[threadIdx.x];
    __syncthreads();
    a[blockIdx.x * 64 + threadIdx.x] = t[x][y];
}

__global__ void racy_two_dimensions(const int *in, int *a) {
    __shared__ int t[8][8];
    int x = threadIdx.x % 8, y = threadIdx.x / 8;
    t[y][x] = in[threadIdx.x];
    a[blockIdx.x * 64 + threadIdx.x] = t[x][y];
}

__global__ void clean_one_thread(int *a) {
    if (threadIdx.x == 0 && blockIdx.x == 3) a[0] = 1;
}

__global__ void racy_two_threads(int *a) {
    if (threadIdx.x < 2 && blockIdx.x == 3) a[0] = threadIdx.x;
}

__global__ void clean_even_and_odd(int *a) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[2 * i] = 1;
    a[2 * i + 1] = 2;
}

__global__ void racy_even_and_next(int *a) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[2 * i] = i;
    a[2 * i + 2] = i;
}

__global__ void clean_xor_permutation(int *a) {
    a[blockIdx.x * 64 + (threadIdx.x ^ 5)] = 1;
}

__global__ void racy_and_mask(int *a) { a[blockIdx.x * 64 + (threadIdx.x & 62)] = threadIdx.x; }

__global__ void clean_shift_and_mask(int *a) {
    unsigned i = threadIdx.x;
    unsigned r = ((i & 7u) << 3) | (i >> 3);
    a[blockIdx.x * 64 + r] = 1;
}

__global__ void clean_remainder(int *a) {
    int i = blockIdx.x * 64 + threadIdx.x;
    a[(i / 16) * 16 + (i % 16)] = 1;
}

__global__ void racy_quotient(int *a) {
    int i = blockIdx.x * 64 + threadIdx.x;
    a[i / 2] = i;
}

__global__ void clean_different_arrays(int *a, int *b) {
    int i = blockIdx.x * 64 + threadIdx.x;
    a[i] = b[i + 1];
}

// Wrap-around.

__global__ void racy_narrow_index(int *a) {
    unsigned char i = (unsigned char)(blockIdx.x * 64 + threadIdx.x);
    a[i] = blockIdx.x;
}

__global__ void clean_narrow_index(int *a) {
    __shared__ int s[256];
    unsigned char i = (unsigned char)(threadIdx.x + 250);
    s[i] = 1;
}

__global__ void racy_unsigned_wrap(int *a) {
    unsigned i = (blockIdx.x * 64 + threadIdx.x) * 0x10000000u;
    a[i >> 28] = threadIdx.x;
}

__global__ void racy_short_multiply(int *a) {
    unsigned short i = (unsigned short)(threadIdx.x * 2048);
    a[blockIdx.x * 65536 + i] = threadIdx.x;
}

// Atomics.

__global__ void clean_atomics(int *a) { atomicAdd(&a[0], 1); }

__global__ void maybe_atomic_and_plain(int *a) {
    atomicAdd(&a[0], 1);
    a[blockIdx.x * 64 + threadIdx.x] = 0;
}

__global__ void maybe_block_scope(int *a) { atomicAdd_block(&a[0], 1); }

// Structs, pointers, references, copies.

struct P { int x, y; };
struct Q { int *p; int n; };

__global__ void racy_field(P *a) { a[threadIdx.x].x = blockIdx.x; }
__global__ void clean_field(P *a) {
    int i = blockIdx.x * 64 + threadIdx.x;
    a[i].x = 1;
    a[i].y = 2;
}
__global__ void racy_vector_element(float4 *a) { a[threadIdx.x / 2].y = threadIdx.x; }
__global__ void clean_vector_element(float4 *a) { a[blockIdx.x * 64 + threadIdx.x].y = 1; }
__global__ void racy_pointer_in_struct(Q q) { q.p[0] = threadIdx.x; }
__global__ void clean_pointer_in_struct(Q q) { q.p[blockIdx.x * 64 + threadIdx.x] = q.n; }

__device__ void put(int &r, int v) { r = v; }
__global__ void racy_reference(int *a) { put(a[threadIdx.x / 2], threadIdx.x); }
__global__ void clean_reference(int *a) { put(a[blockIdx.x * 64 + threadIdx.x], 1); }

__global__ void racy_memset(char *a) { memset(a + threadIdx.x * 4, threadIdx.x, 8); }
__global__ void clean_memset(char *a) { memset(a + (blockIdx.x * 64 + threadIdx.x) * 8, 0, 8); }
__global__ void racy_memcpy(char *a, char *b, int n) {
    memcpy(a + threadIdx.x * 4, b, 4 + (threadIdx.x & 1));
}

__device__ int counter;
__global__ void racy_device_scalar() { counter = threadIdx.x; }
__global__ void clean_device_scalar() { if (threadIdx.x + blockIdx.x == 0) counter = 1; }

struct Grid {
    int *p;
    __device__ int *row(int y) { return p + y * 64; }
};
__global__ void racy_method(int *a) {
    Grid g = {a};
    *g.row(threadIdx.x / 2) = threadIdx.x;
}
__global__ void clean_method(int *a) {
    Grid g = {a};
    *g.row(blockIdx.x * 64 + threadIdx.x) = 1;
}

__global__ void racy_choice(int *a, int *b, int c) {
    int *p = c ? a : b;
    p[0] = threadIdx.x;
}
__global__ void clean_choice(int *a, int *b, int c) {
    int *p = c ? a : b;
    p[blockIdx.x * 64 + threadIdx.x] = 1;
}
__global__ void clean_computed_pointer(int *a) {
    int *p = a + blockIdx.x * 64;
    p += threadIdx.x;
    *p = 1;
    *(p + 64 * 8) = 2;
}

// Templates and early return.

template <int N> __global__ void clean_template(int *a) { a[(blockIdx.x * 64 + threadIdx.x) * N] = 1; }
template __global__ void clean_template<3>(int *);
template <int N> __global__ void racy_template(int *a) { a[(blockIdx.x * 64 + threadIdx.x) / N] = threadIdx.x; }
template __global__ void racy_template<3>(int *);

__device__ void body(int *a, int i, int n) {
    if (i >= n) return;
    a[i] = 1;
}
__global__ void clean_return_in_inlined(int *a, int n) { body(a, blockIdx.x * 64 + threadIdx.x, n); }
__global__ void racy_return_in_inlined(int *a, int n) { body(a, threadIdx.x / 2, n); }

// What is written.

__global__ void racy_benign(int *a) { a[0] = 7; }
__global__ void maybe_benign_loaded(int *a, const int *b) { a[b[0]] = b[1]; }
