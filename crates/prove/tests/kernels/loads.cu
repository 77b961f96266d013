// --block 64 --grid 2
// Two loads of one element of an array that the kernel also writes. In most of these a thread looks twice, and writes
// one common element where it has seen two values: clean where it cannot have, and otherwise `maybe`, as it rests on values.

// A row is changed only where it was empty, and it is not empty where others look at it.
__global__ void clean_closure(int *out, int n) {
    __shared__ int d[8][8];
    int x = threadIdx.x & 7, y = threadIdx.x >> 3;
    d[y][x] = out[1000 + threadIdx.x];
    __syncthreads();
    for (int k = 0; k < 8; k++) {
        if (d[y][x] == 0 && d[y][k] != 0 && d[k][x] != 0) d[y][x] = k + n;
        __syncthreads();
    }
}
__global__ void maybe_closure_of_any(int *out, int n) {
    __shared__ int d[8][8];
    int x = threadIdx.x & 7, y = threadIdx.x >> 3;
    d[y][x] = out[1000 + threadIdx.x];
    __syncthreads();
    for (int k = 0; k < 8; k++) {
        if (d[y][x] != 5 && d[y][k] != 0 && d[k][x] != 0) d[y][x] = k + n;
        __syncthreads();
    }
}
// In global memory, between blocks too.
__global__ void clean_shorter_way(unsigned *d, unsigned k) {
    unsigned own = blockIdx.x * 64 + threadIdx.x;
    if (k >= 128) return;
    unsigned old = d[own], other = d[k];
    if (old > other) d[own] = other;
}
__global__ void maybe_longer_way(unsigned *d, unsigned k) {
    unsigned own = blockIdx.x * 64 + threadIdx.x;
    if (k >= 128) return;
    unsigned old = d[own], other = d[k];
    if (old >= other) d[own] = other + 1;
}

// Two places of the source, two threads.
__global__ void clean_both_sides(int *g, const int *a) {
    __shared__ int s[64];
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    if (threadIdx.x < 32) {
        if (threadIdx.x == 3 && s[0]) g[blockIdx.x] = 1;
    } else {
        if (threadIdx.x == 40 && !s[0]) g[blockIdx.x] = 2;
    }
}
__global__ void maybe_both_sides(int *g, const int *a) {
    __shared__ int s[64];
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    if (threadIdx.x < 32) {
        if (threadIdx.x == 3 && s[0]) g[blockIdx.x] = 1;
    } else {
        if (threadIdx.x == 40 && !s[1]) g[blockIdx.x] = 2;
    }
}
__global__ void clean_two_blocks(int *g, int *d) {
    if (threadIdx.x == 0 && blockIdx.x == 0) { if (d[0]) g[0] = 1; }
    if (threadIdx.x == 1 && blockIdx.x == 1) { if (!d[0]) g[0] = 2; }
    d[1 + blockIdx.x * 64 + threadIdx.x] = 7;
}
// Each block has shared memory of its own.
__global__ void maybe_two_blocks_shared(int *g, const int *a) {
    __shared__ int s[64];
    s[threadIdx.x] = a[blockIdx.x * 64 + threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0 && blockIdx.x == 0) { if (s[0]) g[0] = 1; }
    if (threadIdx.x == 1 && blockIdx.x == 1) { if (!s[0]) g[0] = 2; }
}
// Loads as indices.
__global__ void clean_two_indices(int *g, int *d) {
    int a = d[0] & 1, b = d[0] & 1;
    if (blockIdx.x == 0 && threadIdx.x == 3) g[a] = 1;
    if (blockIdx.x == 0 && threadIdx.x == 4) g[1 - b] = 2;
    d[1 + blockIdx.x * 64 + threadIdx.x] = 7;
}
__global__ void maybe_two_indices(int *g, int *d) {
    int a = d[0] & 1, b = d[0] & 1;
    if (blockIdx.x == 0 && threadIdx.x == 3) g[a] = 1;
    if (blockIdx.x == 0 && threadIdx.x == 4) g[b] = 2;
    d[1 + blockIdx.x * 64 + threadIdx.x] = 7;
}

// A write of the thread itself, perhaps there: every thread has two elements, and `x` says which one.
__global__ void clean_nothing_between(int *g, int x) {
    __shared__ int s[128];
    int t = threadIdx.x;
    int before = s[2 * t], after = s[2 * t];
    if (before != after) g[0] = t;
    s[2 * t + (x & 1)] = 5;
}
__global__ void maybe_own_write(int *g, int x) {
    __shared__ int s[128];
    int t = threadIdx.x;
    int before = s[2 * t];
    s[2 * t + (x & 1)] = 5;
    int after = s[2 * t];
    if (before != after) g[0] = t;
}
__global__ void maybe_own_write_through_pointer(int *g, int x) {
    __shared__ int s[128];
    int t = threadIdx.x;
    int before = s[2 * t];
    int *p = &s[2 * t];
    if (x & 2) p++;
    *p = 5;
    int after = s[2 * t];
    if (before != after) g[0] = t;
}
__global__ void maybe_own_write_on_one_way(int *g, int x) {
    __shared__ int s[128];
    int t = threadIdx.x;
    int before = s[2 * t];
    if (x > 4) s[2 * t + (x & 1)] = 5;
    int after = s[2 * t];
    if (before != after) g[0] = t;
}
__global__ void maybe_own_bytes(int *g, int x) {
    __shared__ int s[64];
    int t = threadIdx.x;
    int before = s[t];
    ((char *)s)[4 * t + (x & 3)] = 5;
    int after = s[t];
    if (before != after) g[0] = t;
}
__global__ void maybe_own_set(int *g, int x) {
    __shared__ int s[128];
    int t = threadIdx.x;
    int before = s[2 * t];
    memset(&s[2 * t + (x & 1)], 5, 4);
    int after = s[2 * t];
    if (before != after) g[0] = t;
}
__global__ void maybe_own_copy(int *g, int x) {
    __shared__ int s[128];
    int t = threadIdx.x;
    int before = s[2 * t];
    memcpy(&s[2 * t + (x & 1)], &x, 4);
    int after = s[2 * t];
    if (before != after) g[0] = t;
}
__global__ void maybe_own_atomic(int *g, int x) {
    __shared__ int s[128];
    int t = threadIdx.x;
    int before = s[2 * t];
    atomicAdd(&s[2 * t + (x & 1)], 1);
    int after = s[2 * t];
    if (before != after) g[0] = t;
}
__global__ void clean_other_array(int *g, int x) {
    __shared__ int s[64], r[64];
    int t = threadIdx.x;
    int before = s[t];
    r[t] = 5;
    int after = s[t];
    if (before != after) g[0] = t;
    s[t] = r[t] + x;
}

// Volatile and atomic loads see what others do.
__global__ void maybe_volatile(int *g) {
    __shared__ volatile int s[64];
    int t = threadIdx.x;
    int before = s[t], after = s[t];
    if (before != after) g[0] = t;
    s[t] = 1;
}
__global__ void maybe_atomic_loads(int *g, int *d) {
    int t = threadIdx.x;
    int before = atomicAdd(&d[0], 0), after = atomicAdd(&d[0], 0);
    if (before != after) g[0] = t;
    atomicAdd(&d[0], 1);
}

// Barriers: behind one, the writes of others are seen.
__global__ void maybe_written_between(int *g) {
    __shared__ int s[64];
    int t = threadIdx.x;
    int before = s[t ^ 1];
    __syncthreads();
    s[t] = 5;
    __syncthreads();
    int after = s[t ^ 1];
    if (before != after) g[0] = t;
}
__global__ void maybe_written_before(int *g) {
    __shared__ int s[64];
    int t = threadIdx.x;
    int before = s[t];
    s[t] = 5;
    __syncthreads();
    int after = s[t];
    if (before != after) g[0] = t;
}
__global__ void clean_not_written_again(int *g, const int *a) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = a[t];
    __syncthreads();
    int before = s[t ^ 1];
    __syncthreads();
    int after = s[t ^ 1];
    if (before != after) g[0] = t;
}
__global__ void clean_not_written_in_loop(int *g, const int *a, int n) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = a[t];
    __syncthreads();
    int before = s[t ^ 1];
    for (int i = 0; i < n; i++) {
        if (before != s[t ^ 1]) g[0] = t;
        __syncthreads();
    }
}
__global__ void maybe_written_by_who_leaves(int *g, const int *a) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = a[t];
    __syncthreads();
    int before = s[t];
    __syncthreads();
    if (t < 2) {
        s[t + 2] = 5;
        return;
    }
    __syncthreads();
    int after = s[t];
    if (before != after) g[0] = t;
}
__global__ void maybe_warps_between(int *g) {
    __shared__ int s[64];
    int t = threadIdx.x;
    int before = s[t ^ 1];
    __syncwarp();
    s[t] = 5;
    __syncwarp();
    int after = s[t ^ 1];
    if (before != after) g[0] = t;
}

// Loops: other iterations see what this one has written.
__global__ void maybe_loop(int *g, int x, int n) {
    __shared__ int s[128];
    int t = threadIdx.x;
    int before = s[2 * t];
    for (int i = 0; i < n; i++) {
        if (before != s[2 * t]) g[0] = t;
        s[2 * t + (x & 1)] = i;
    }
}
__global__ void maybe_after_loop(int *g, int x, int n) {
    __shared__ int s[128];
    int t = threadIdx.x;
    int before = s[2 * t];
    for (int i = 0; i < n; i++) s[2 * t + (x & 1)] = i;
    if (before != s[2 * t]) g[0] = t;
}
__global__ void maybe_inner_loop(int *g, int x, int n) {
    __shared__ int s[128];
    int t = threadIdx.x, last = s[2 * t];
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < x; j++) {
            if (last != s[2 * t]) g[0] = t;
        }
        s[2 * t + (x & 1)] = i;
    }
}
__global__ void maybe_last_iteration(int *g, int n) {
    __shared__ int s[64];
    int t = threadIdx.x, seen = 0;
    for (int i = 0; i < n; i++) {
        seen = s[t];
        s[t] = i;
    }
    if (n > 0 && seen != s[t]) g[0] = t;
}
__global__ void clean_loop(int *g, int n) {
    __shared__ int s[64];
    int t = threadIdx.x;
    int before = s[t];
    for (int i = 0; i < n; i++) {
        if (before != s[t]) g[0] = t;
    }
    s[t] = n;
}
__global__ void clean_in_one_iteration(int *g, int x, int n) {
    __shared__ int s[128];
    int t = threadIdx.x;
    for (int i = 0; i < n; i++) {
        int before = s[2 * t];
        for (int j = 0; j < 4; j++) {
            if (before != s[2 * t]) g[0] = t;
        }
        s[2 * t + (x & 1)] = i;
    }
}

// Widths: nothing is said of parts.
__global__ void maybe_parts(int *g) {
    __shared__ int s[64];
    int t = threadIdx.x;
    int whole = s[t];
    char part = ((char *)s)[4 * t];
    if ((char)whole != part) g[0] = t;
    s[t] = 5;
}
// A float is read as the bits that it is.
__global__ void clean_bits(int *g) {
    __shared__ float s[64];
    int t = threadIdx.x;
    float number = s[t];
    int bits = ((int *)s)[t];
    if (__float_as_int(number) != bits) g[0] = t;
    s[t] = 5;
}
__global__ void maybe_vector(int *g, int x) {
    __shared__ int2 s[64];
    int t = threadIdx.x;
    int2 before = s[t];
    ((int *)s)[2 * t + (x & 1)] = 5;
    int2 after = s[t];
    if (before.x != after.x || before.y != after.y) g[0] = t;
}
__global__ void clean_vector(int *g, int x) {
    __shared__ int2 s[64];
    int t = threadIdx.x;
    int2 before = s[t];
    int part = ((int *)s)[2 * t + 1];
    if (before.y != part) g[0] = t;
    ((int *)s)[2 * t + (x & 1)] = 5;
}
