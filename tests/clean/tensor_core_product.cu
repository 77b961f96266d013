// A 16x8 product of two tiles: loads of fragments, the product, and where its elements are. Each lane reads what others
// gave the address of.
// lockstep[run]: run --block 32 --grid 1 --arg 'out=f32[128]'
// lockstep[proved]: check
#include <assert.h>
#include <cuda_fp16.h>

__device__ void load_a(unsigned (&a)[4], const half *tile) {
    unsigned at = (unsigned)__cvta_generic_to_shared(tile + threadIdx.x % 16 * 16 + threadIdx.x / 16 * 8);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3])
                 : "r"(at));
}

__device__ void load_b(unsigned (&b)[2], const half *tile) {
    unsigned at = (unsigned)__cvta_generic_to_shared(tile + threadIdx.x % 16 * 8);
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared::cta.b16 {%0, %1}, [%2];" : "=r"(b[0]), "=r"(b[1]) : "r"(at));
}

__global__ void product(float *out) {
    __shared__ half a[16 * 16], b[16 * 8];
    for (int i = threadIdx.x; i < 16 * 16; i += 32) a[i] = __float2half((float)(i / 16 + i % 16));
    for (int i = threadIdx.x; i < 16 * 8; i += 32) b[i] = __float2half((float)(i / 8 - i % 8));
    __syncthreads();
    unsigned x[4], y[2];
    load_a(x, a);
    load_b(y, b);
    float d[4] = {1, 1, 1, 1};
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
    int row = threadIdx.x / 4, column = threadIdx.x % 4 * 2;
    for (int i = 0; i < 4; ++i) {
        int r = row + i / 2 * 8, c = column + i % 2;
        float sum = 1;
        for (int k = 0; k < 16; ++k) sum += (float)(r + k) * (k - c);
        assert(d[i] == sum);
        out[r * 8 + c] = d[i];
    }
}

int main() {
    float *out;
    cudaMalloc(&out, 128 * sizeof(float));
    product<<<1, 32>>>(out);
}
