// A tiled product with wmma: fragments are loads, stores and products by lane.
// lockstep[run]: run --kernel product --block 32 --grid 1 --arg 'out=f32[256]'
// lockstep[check]: check
#include <assert.h>
#include <mma.h>
using namespace nvcuda;

template <int M, int N, int K, class T, class C> __device__ void multiply(C *out) {
    __shared__ T a[M * K], b[K * N];
    __shared__ C c[M * N];
    for (int i = threadIdx.x; i < M * K; i += 32) a[i] = (T)(float)(i % 7);
    for (int i = threadIdx.x; i < K * N; i += 32) b[i] = (T)(float)(i % 5);
    __syncthreads();
    wmma::fragment<wmma::matrix_a, M, N, K, T, wmma::row_major> x;
    wmma::fragment<wmma::matrix_b, M, N, K, T, wmma::col_major> y;
    wmma::fragment<wmma::accumulator, M, N, K, C> sum;
    wmma::fill_fragment(sum, 1.0f);
    wmma::load_matrix_sync(x, a, K);
    wmma::load_matrix_sync(y, b, K);
    wmma::mma_sync(sum, x, y, sum);
    wmma::store_matrix_sync(c, sum, N, wmma::mem_row_major);
    __syncthreads();
    for (int i = threadIdx.x; i < M * N; i += 32) {
        float expected = 1;
        for (int k = 0; k < K; ++k) expected += (i / N * K + k) % 7 * ((i % N * K + k) % 5);
        assert((float)c[i] == expected);
        if (out) out[i] = c[i];
    }
}

__global__ void product(float *out) { multiply<16, 16, 16, half>(out); }
__global__ void shapes() {
    multiply<32, 8, 16, half>((float *)nullptr);
    multiply<8, 32, 16, half>((half *)nullptr);
    multiply<16, 16, 16, __nv_bfloat16>((float *)nullptr);
    multiply<16, 16, 16, signed char>((int *)nullptr);
    multiply<8, 8, 4, double>((double *)nullptr);
}
int main() {
    float *out;
    cudaMalloc(&out, 256 * sizeof(float));
    product<<<1, 32>>>(out);
    shapes<<<1, 32>>>();
}
