// --block 64 --grid 4
// What static checkers are known to overlook, or to raise false alarms on: each racy and clean. Simpler ones of the same
// kinds are in basics.cu, loops.cu, values.cu, warps.cu and lockstep.cu.
#include <cooperative_groups.h>

// Fields and components.
struct Inner { float2 v; short tag; };
struct Outer { int id; Inner in[2]; };
__global__ void clean_deep_field(Outer *o) {
    int i = blockIdx.x * 64 + threadIdx.x;
    o[i].in[1].v.y = 1;
    o[i].in[0].tag = 2;
}
__global__ void racy_deep_field(Outer *o) { o[threadIdx.x].in[1].v.y = blockIdx.x; }
__global__ void racy_component_of_neighbour(float4 *a) {
    int i = blockIdx.x * 64 + threadIdx.x;
    a[i].x = a[i + 1].x;
}
__global__ void clean_component_of_neighbour(float4 *a) {
    int i = blockIdx.x * 64 + threadIdx.x;
    a[i].x = a[i + 1].y;
}
__global__ void racy_whole_over_field(float4 *a) {
    int i = blockIdx.x * 64 + threadIdx.x;
    float4 next = a[i + 1];
    a[i].w = next.x;
}

// Pointers within structs.
struct View { int *data; int pitch; };
__global__ void clean_view(View v) {
    if (v.pitch == 64) v.data[blockIdx.x * v.pitch + threadIdx.x] = 1;
}
__global__ void racy_view(View v) {
    if (v.pitch == 63) v.data[blockIdx.x * v.pitch + threadIdx.x] = threadIdx.x;
}
struct TwoViews { View from, to; };
__global__ void clean_two_views(TwoViews v) {
    int i = blockIdx.x * 64 + threadIdx.x;
    v.to.data[i] = v.from.data[i + 1];
}
__global__ void racy_two_views(TwoViews v) {
    int i = blockIdx.x * 64 + threadIdx.x;
    v.to.data[i] = v.to.data[i + 1];
}

// References.
__device__ void put(int &cell, int value) { cell = value; }
__device__ int &cell_of(int *a, int i) { return a[i]; }
__global__ void clean_put(int *a) { put(cell_of(a, blockIdx.x * 64 + threadIdx.x), 1); }
__global__ void racy_put(int *a) { put(cell_of(a, blockIdx.x * 63 + threadIdx.x), threadIdx.x); }
__device__ void exchange(int &a, int &b) { int c = a; a = b; b = c; }
__global__ void clean_exchange(int *a) {
    int i = 2 * (blockIdx.x * 64 + threadIdx.x);
    exchange(a[i], a[i + 1]);
}
__global__ void racy_exchange(int *a) {
    int i = blockIdx.x * 64 + threadIdx.x;
    exchange(a[i], a[i + 1]);
}

// Copies of memory.
__global__ void clean_memcpy(char *a, const char *b) {
    memcpy(a + (blockIdx.x * 64 + threadIdx.x) * 8, b, 4 + (threadIdx.x & 4));
}
__global__ void racy_memcpy_reads(char *a) {
    int i = (blockIdx.x * 64 + threadIdx.x) * 16;
    memcpy(a + i, a + i + 9, 8);
}
__global__ void clean_memcpy_reads(char *a) {
    int i = (blockIdx.x * 64 + threadIdx.x) * 16;
    memcpy(a + i, a + i + 8, 8);
}
__global__ void racy_memset_of_length(char *a, unsigned n) {
    if (n % 4 == 1) memset(a + (blockIdx.x * 64 + threadIdx.x) * 8, threadIdx.x, 8 + (n & 3));
}
__global__ void clean_memset_of_length(char *a, unsigned n) {
    memset(a + (blockIdx.x * 64 + threadIdx.x) * 8, 0, n & 7);
}
__global__ void clean_struct_copy(Outer *a, const Outer *b) {
    int i = blockIdx.x * 64 + threadIdx.x;
    a[i] = b[i + 1];
}
__global__ void racy_struct_copy(Outer *a) {
    int i = blockIdx.x * 64 + threadIdx.x;
    a[i] = a[i + 1];
}

// Variables of the device.
__device__ int total;
__device__ int slots[256];
__device__ View shared_view;
__global__ void racy_total(const int *a) { total += a[threadIdx.x]; }
__global__ void clean_total(const int *a) { if (blockIdx.x == 1 && threadIdx.x == 63) total += a[0]; }
__global__ void clean_slots() { slots[blockIdx.x * 64 + threadIdx.x] = 1; }
__global__ void racy_slots() { slots[blockIdx.x * 32 + threadIdx.x] = threadIdx.x; }
__global__ void racy_field_of_variable() { shared_view.pitch = threadIdx.x; }
__global__ void clean_fields_of_variable() {
    if (blockIdx.x > 0) return;
    if (threadIdx.x == 0) shared_view.pitch = 1;
    if (threadIdx.x == 1) shared_view.data = 0;
}

// Methods.
struct Row {
    int *first;
    int last;
    __device__ void set(int i, int v) { first[i] = v; }
    __device__ Row below() const { return Row{first + 64, last}; }
    __device__ int operator[](int i) const { return first[i]; }
};
__global__ void clean_methods(int *a) {
    Row r{a + blockIdx.x * 64, 64};
    r.set(threadIdx.x, 1);
}
__global__ void racy_methods(int *a) {
    Row r{a + blockIdx.x * 64, 64};
    r.set(threadIdx.x, r.below()[threadIdx.x]);
}

// Choices of pointers.
__global__ void clean_half_each(int *a, int *b) {
    int i = blockIdx.x * 64 + threadIdx.x;
    int *p = threadIdx.x < 32 ? a : b;
    p[i] = 1;
}
__global__ void racy_half_each(int *a, int *b) {
    int *p = threadIdx.x < 32 ? a : b;
    p[blockIdx.x * 32 + threadIdx.x / 2] = threadIdx.x;
}
__global__ void racy_sometimes_the_same(int *a, int *b, int c) {
    int i = blockIdx.x * 64 + threadIdx.x;
    int *p = c > 3 ? a : b;
    int *q = c > 4 ? a : b;
    p[i] = q[i + 1];
}
__global__ void clean_never_the_same(int *a, int *b, int c) {
    int i = blockIdx.x * 64 + threadIdx.x;
    int *p = c > 3 ? a : b;
    int *q = c > 3 ? b : a;
    p[i] = q[i + 1];
}

// Wrap-around.
__global__ void racy_wraps_with_stride(int *a, unsigned stride) {
    if (stride > 1) a[((blockIdx.x * 64 + threadIdx.x) * stride)] = threadIdx.x;
}
__global__ void clean_wide_stride(int *a, unsigned stride) {
    if (stride > 1) a[(blockIdx.x * 64 + threadIdx.x) * (unsigned long long)stride] = 1;
}
__global__ void racy_stride_of_nothing(int *a, unsigned stride) {
    a[(blockIdx.x * 64 + threadIdx.x) * (unsigned long long)(stride & 1)] = threadIdx.x;
}
__global__ void racy_wide_strides(int *a, unsigned stride) {
    if (stride > 1) a[(blockIdx.x * 32 + threadIdx.x) * (unsigned long long)stride] = threadIdx.x;
}
__global__ void clean_small_stride(int *a, unsigned stride) {
    if (stride > 1 && stride < 1000) a[(blockIdx.x * 64 + threadIdx.x) * stride] = 1;
}
__global__ void racy_short_counter(int *a) {
    for (unsigned short i = 65500; i >= 65500 || i < 100; i += 64) {
        if (blockIdx.x == 0) a[(unsigned short)(i + threadIdx.x) % 100] = threadIdx.x;
    }
}
__global__ void clean_short_index(int *a) {
    unsigned short i = (unsigned short)(blockIdx.x * 64 + threadIdx.x + 65400);
    a[i] = 1;
}
__global__ void racy_signed_char(int *a) {
    signed char i = (signed char)(2 * (blockIdx.x * 64 + threadIdx.x));
    a[i + 128] = blockIdx.x;
}
__global__ void clean_signed_char(int *a) {
    signed char i = (signed char)(blockIdx.x * 64 + threadIdx.x);
    a[i + 128] = blockIdx.x;
}
__global__ void racy_unsigned_difference(int *a, unsigned n) {
    unsigned i = blockIdx.x * 64 + threadIdx.x;
    a[(i - n) & 127] = blockIdx.x;
}
__global__ void clean_unsigned_difference(int *a, unsigned n) {
    unsigned i = blockIdx.x * 64 + threadIdx.x;
    a[(i - n) & 255] = 1;
}

// Computed pointers.
__global__ void racy_computed_pointer(int *a) {
    int *p = a + blockIdx.x * 64;
    p += threadIdx.x;
    *p = 1;
    *(p + 64) = 2;
}
__global__ void clean_moving_pointer(int *a, int n) {
    int *p = a + blockIdx.x * 64 + threadIdx.x;
    for (int i = 0; i < n; i++, p += 256) *p = i;
}
__global__ void racy_moving_pointer(int *a, int n) {
    int *p = a + blockIdx.x * 64 + threadIdx.x;
    for (int i = 0; i < n; i++, p += 255) *p = i;
}
__global__ void clean_pointer_to_row(int (*a)[64]) {
    int (*row)[64] = a + blockIdx.x;
    int *p = *row;
    p[threadIdx.x] = 1;
}

// Values carried by loops.
__global__ void clean_carried_offset(int *a, int n) {
    unsigned x = threadIdx.x, y = blockIdx.x;
    for (int i = 0; i < n && i < 100; i++) {
        a[y * 64 + x] = i;
        y += 4;
    }
}
__global__ void alarm_carried_offset(int *a, int n) {
    unsigned x = threadIdx.x, y = blockIdx.x;
    for (int i = 0; i < n && i < 100; i++) {
        a[y * 64 + x] = i;
        y += 3;
    }
}

// Guards and indices that both threads read alike, or not.
__global__ void clean_alike(int *a, const int *start, const int *kind) {
    int base = start[blockIdx.x / 4] & 1023;
    if (kind[0] == 1) a[base + blockIdx.x * 64 + threadIdx.x] = 1;
    if (kind[0] == 2) a[base + blockIdx.x * 64 + 63 - threadIdx.x] = 2;
}
__global__ void maybe_not_alike(int *a, const int *kind) {
    if (kind[threadIdx.x] == 1) a[blockIdx.x * 64] = threadIdx.x;
}
__global__ void maybe_not_alike_in_blocks(int *a, const int *start) {
    a[(start[blockIdx.x] & 1023) + blockIdx.x * 64 + threadIdx.x] = 1;
}
__global__ void clean_bounds_from_memory(int *a, const int *ends) {
    for (int i = ends[0]; i < ends[1] && i < 1000; i++) {
        if (i >= 0) a[i * 256 + blockIdx.x * 64 + threadIdx.x] = 1;
    }
}

// Early returns in functions that were inlined.
__device__ bool is_inside(int i, int n) {
    if (i < 0) return false;
    if (i >= n) return false;
    return true;
}
__device__ int clamped(const int *a, int i, int n) {
    if (!is_inside(i, n)) return 0;
    return a[i];
}
__global__ void clean_two_returns(int *a, const int *b, int n) {
    int i = blockIdx.x * 64 + threadIdx.x;
    if (!is_inside(i, n)) return;
    a[i] = clamped(b, i + 1, n);
}
__global__ void racy_two_returns(int *a, int n) {
    int i = blockIdx.x * 64 + threadIdx.x;
    if (!is_inside(i, n)) return;
    a[i] = clamped(a, i + 1, n);
}

// Barriers of cooperative groups.
__global__ void clean_group_sync(int *out) {
    __shared__ int s[64];
    cooperative_groups::thread_block block = cooperative_groups::this_thread_block();
    s[threadIdx.x] = threadIdx.x;
    block.sync();
    out[blockIdx.x * 64 + threadIdx.x] = s[threadIdx.x ^ 32];
}
__global__ void racy_group_not_synced(int *out) {
    __shared__ int s[64];
    cooperative_groups::thread_block block = cooperative_groups::this_thread_block();
    s[block.thread_rank()] = threadIdx.x;
    out[blockIdx.x * 64 + threadIdx.x] = s[threadIdx.x ^ 32];
}
__global__ void clean_function_sync(int *out) {
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x;
    cooperative_groups::sync(cooperative_groups::this_thread_block());
    out[blockIdx.x * 64 + threadIdx.x] = s[threadIdx.x ^ 32];
}
__global__ void clean_warp_tile(int *out) {
    __shared__ int s[64];
    auto warp = cooperative_groups::tiled_partition<32>(cooperative_groups::this_thread_block());
    s[threadIdx.x] = threadIdx.x;
    warp.sync();
    out[blockIdx.x * 64 + threadIdx.x] = s[threadIdx.x ^ 16];
}
__global__ void maybe_warp_tile(int *out) {
    __shared__ int s[64];
    auto warp = cooperative_groups::tiled_partition<32>(cooperative_groups::this_thread_block());
    s[threadIdx.x] = threadIdx.x;
    warp.sync();
    out[blockIdx.x * 64 + threadIdx.x] = s[threadIdx.x ^ 32];
}

// A tile of fewer lanes orders only those.
__global__ void maybe_half_warp_tile(int *out) {
    __shared__ int s[64];
    auto half = cooperative_groups::tiled_partition<16>(cooperative_groups::this_thread_block());
    s[threadIdx.x] = threadIdx.x;
    half.sync();
    out[blockIdx.x * 64 + threadIdx.x] = s[threadIdx.x ^ 16];
}

// Templates that nobody instantiates.
template <typename T, int N> __global__ void clean_never_instantiated(T *a) {
    a[(blockIdx.x * 64 + threadIdx.x) * N] = 1;
}
template <typename T, int N> __global__ void racy_never_instantiated(T *a) { a[N] = threadIdx.x; }
