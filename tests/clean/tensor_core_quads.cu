// The products of Volta's tensor cores: four in a warp, each by eight lanes.
// lockstep: run --block 32 --grid 1
#include <assert.h>
#include <cuda_fp16.h>

__device__ unsigned two(float low, float high) {
    half2 h = __floats2half2_rn(low, high);
    return *(unsigned *)&h;
}
// Of product q: A is 8x4, B is 4x8.
__device__ float a(int q, int row, int k) { return row + 2 * k + q; }
__device__ float b(int k, int column) { return k - column; }
__device__ float expected(int q, int row, int column, float sum) {
    for (int k = 0; k < 4; ++k) sum += a(q, row, k) * b(k, column);
    return sum;
}

__global__ void quads() {
    int lane = threadIdx.x, q = lane / 4 % 4, h = lane / 16 * 4, own = lane % 4 + h;
    unsigned x0 = two(a(q, own, 0), a(q, own, 1)), x1 = two(a(q, own, 2), a(q, own, 3));
    unsigned y0 = two(b(0, own), b(1, own)), y1 = two(b(2, own), b(3, own));
    unsigned z0 = two(b(lane % 4, h), b(lane % 4, h + 1)), z1 = two(b(lane % 4, h + 2), b(lane % 4, h + 3));
    float d[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9}, {%10, %11}, {%0, %1, %2, %3, %4, %5, %6, %7};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7])
                 : "r"(x0), "r"(x1), "r"(y0), "r"(y1));
    float e[8] = {};
    asm volatile("mma.sync.aligned.m8n8k4.row.row.f32.f16.f16.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9}, {%10, %11}, {%0, %1, %2, %3, %4, %5, %6, %7};"
                 : "+f"(e[0]), "+f"(e[1]), "+f"(e[2]), "+f"(e[3]), "+f"(e[4]), "+f"(e[5]), "+f"(e[6]), "+f"(e[7])
                 : "r"(x0), "r"(x1), "r"(z0), "r"(z1));
    for (int i = 0; i < 8; ++i) {
        int row = lane % 2 + (i & 2) + h, column = (i & 4) + (lane & 2) + i % 2;
        assert(d[i] == expected(q, row, column, 1));
        assert(e[i] == expected(q, row, column, 0));
    }
    unsigned f[4] = {}, g[4] = {};
    asm volatile("mma.sync.aligned.m8n8k4.row.row.f16.f16.f16.f16 {%0, %1, %2, %3}, {%4, %5}, {%6, %7}, {%0, %1, %2, %3};"
                 : "+r"(f[0]), "+r"(f[1]), "+r"(f[2]), "+r"(f[3])
                 : "r"(x0), "r"(x1), "r"(z0), "r"(z1));
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f16 {%0, %1, %2, %3}, {%4, %5}, {%6, %7}, {%0, %1, %2, %3};"
                 : "+r"(g[0]), "+r"(g[1]), "+r"(g[2]), "+r"(g[3])
                 : "r"(x0), "r"(x1), "r"(y0), "r"(y1));
    for (int i = 0; i < 8; ++i) {
        assert(__half2float(((half *)f)[i]) == expected(q, own, i, 0));
        assert(__half2float(((half *)g)[i]) == expected(q, own, i, 0));
    }
}
