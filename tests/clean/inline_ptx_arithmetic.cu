// Arithmetic in inline PTX means what the same expression in C means.
// lockstep: run --block 64 --grid 2 --arg 'out=i32[512]'
#include <assert.h>

__device__ unsigned three_way(unsigned a, unsigned b, unsigned c) {
    unsigned d;
    asm("lop3.b32 %0, %1, %2, %3, 0x6a;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
    return d;
}

__device__ unsigned shifted(unsigned a, unsigned n) {
    unsigned d;
    asm("shl.b32 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(n));
    return d;
}

__device__ int shifted_right(int a, unsigned n) {
    int d;
    asm("shr.s32 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(n));
    return d;
}

__device__ unsigned with_field(unsigned field, unsigned base, unsigned at, unsigned width) {
    unsigned d;
    asm("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(d) : "r"(field), "r"(base), "r"(at), "r"(width));
    return d;
}

__device__ unsigned long long wide_sum(unsigned long long a, unsigned long long b) {
    unsigned lo, hi;
    asm("add.cc.u32 %0, %2, %4;\n\t"
        "addc.u32 %1, %3, %5;"
        : "=r"(lo), "=r"(hi)
        : "r"((unsigned)a), "r"((unsigned)(a >> 32)), "r"((unsigned)b), "r"((unsigned)(b >> 32)));
    return (unsigned long long)hi << 32 | lo;
}

__device__ unsigned smaller_first(unsigned a, unsigned b) {
    unsigned d;
    asm("{\n\t"
        ".reg .pred p;\n\t"
        "setp.lo.u32 p, %1, %2;   // below\n\t"
        "selp.b32 %0, %1, %2, p;\n\t"
        "@!p mov.u32 %0, %2;\n\t"
        "}"
        : "=r"(d)
        : "r"(a), "r"(b));
    return d;
}

__device__ unsigned halves_swapped(unsigned a) {
    unsigned d;
    asm("{ .reg .b16 lo, hi;\n\t mov.b32 {lo,hi}, %1;\n\t mov.b32 %0, {hi,lo};}" : "=r"(d) : "r"(a));
    return d;
}

__device__ float doubled_as_half(float x) {
    float d;
    asm("{ .reg .f16 h;\n\t cvt.rn.f16.f32 h, %1;\n\t add.f16 h, h, h;\n\t cvt.f32.f16 %0, h;}" : "=f"(d) : "f"(x));
    return d;
}

__device__ unsigned from_next_lane(unsigned x) {
    unsigned d;
    asm volatile("shfl.sync.down.b32 %0, %1, %2, %3, %4;" : "=r"(d) : "r"(x), "r"(1), "r"(0x1f), "r"(0xffffffff));
    return d;
}

__device__ int dot_of_bytes(unsigned a, unsigned b, int c) {
    int d;
    asm("dp4a.s32.u32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
    return d;
}

// What the SDK's headers call for a sum of products that keeps denormal numbers.
extern "C" __device__ float __nv_fmaf_ieee_rn(float, float, float);

__global__ void inline_ptx_arithmetic(uint4 *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, x = i * 2654435761u, y = x ^ 0x5bd1e995u;
    assert(three_way(x, y, i) == ((x & y) ^ i));
    assert(shifted(x, i) == (i < 32 ? x << i : 0));
    assert(shifted_right(x, i) == (int)x >> (i < 32 ? i : 31));
    assert(with_field(i, x, 4, 8) == ((x & ~0xff0u) | (i & 0xff) << 4));
    unsigned long long a = (unsigned long long)y << 32 | x, b = (unsigned long long)x << 30 | y;
    assert(wide_sum(a, b) == a + b);
    assert(smaller_first(x, y) == min(x, y));
    assert(halves_swapped(x) == (x << 16 | x >> 16));
    assert(doubled_as_half((float)threadIdx.x) == 2.0f * threadIdx.x);
    int dot = i;
    for (int byte = 0; byte < 32; byte += 8) dot += (signed char)(x >> byte) * (int)(y >> byte & 0xff);
    assert(dot_of_bytes(x, y, i) == dot);
    assert(__nv_fmaf_ieee_rn(i, 3.0f, 1.0f) == 3.0f * i + 1.0f);
    unsigned next = from_next_lane(i);
    assert(next == (threadIdx.x % 32 == 31 ? i : i + 1));
    asm volatile("st.global.v4.u32 [%0], {%1,%2,%3,%4};" ::"l"(out + i), "r"(x), "r"(y), "r"(i), "r"(next) : "memory");
}
