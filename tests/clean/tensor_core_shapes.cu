// Products of bytes, bfloat16, tf32 and double, with sums of their own type; a fragment transposed by its lanes, and one
// stored again.
// lockstep: run --block 32 --grid 2 --arg 'out=i32[128]'
#include <assert.h>

__device__ int row(int e) { return threadIdx.x / 4 + e / 2 * 8; }
__device__ int column(int e) { return threadIdx.x % 4 * 2 + e % 2; }

__device__ void bytes(int *out) {
    // a(i, k) = i, b(k, j) = j - 4: 32 products each.
    int g = threadIdx.x / 4;
    unsigned low = g * 0x01010101u, high = (g + 8) * 0x01010101u, b = (unsigned char)(g - 4) * 0x01010101u;
    int d[4];
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %4, %5}, {%6, %6}, {%7, %7, %7, %7};"
                 : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
                 : "r"(low), "r"(high), "r"(b), "r"(100));
    for (int e = 0; e < 4; ++e) {
        assert(d[e] == 100 + 32 * row(e) * (column(e) - 4));
        out[row(e) * 8 + column(e)] = d[e];
    }
}

__device__ unsigned bfloat(float low, float high) { return __float_as_uint(low) >> 16 | (__float_as_uint(high) & 0xffff0000u); }

__device__ void floats() {
    // a(i, k) = k, b(k, j) = 1: the sum of the columns.
    int m = threadIdx.x % 4;
    unsigned first = bfloat(2 * m, 2 * m + 1), second = bfloat(2 * m + 8, 2 * m + 9), one = bfloat(1, 1);
    float d[4] = {};
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %4, %5, %5}, {%6, %6}, {%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(first), "r"(second), "r"(one));
    for (int e = 0; e < 4; ++e) assert(d[e] == 120);
    unsigned low = __float_as_uint((float)m), high = __float_as_uint((float)(m + 4)), unit = __float_as_uint(1.0f);
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %4, %5, %5}, {%6, %6}, {%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(low), "r"(high), "r"(unit));
    for (int e = 0; e < 4; ++e) assert(d[e] == 148);
    double x[2] = {}, a = m, b = 0.5;
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};" : "+d"(x[0]), "+d"(x[1]) : "d"(a), "d"(b));
    assert(x[0] == 3 && x[1] == 3);
}

__device__ void moved() {
    __shared__ unsigned short tile[64];
    unsigned pair = 2 * threadIdx.x | (2 * threadIdx.x + 1) << 16, turned, again;
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(turned) : "r"(pair));
    unsigned at = (unsigned)__cvta_generic_to_shared(tile + threadIdx.x % 8 * 8);
    asm volatile("stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%0], {%1};" ::"r"(at), "r"(turned) : "memory");
    __syncwarp();
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(again) : "r"(at) : "memory");
    assert(again == pair);
    for (int i = 0; i < 2; ++i) assert(tile[2 * threadIdx.x + i] == 2 * threadIdx.x + i);
}

__global__ void shapes(int *out) {
    if (blockIdx.x == 0) bytes(out);
    floats();
    moved();
}
