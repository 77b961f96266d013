// Two halves that are added together are aligned together.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

__global__ void halves(__half *sum, __half2 v, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd((__half2 *)(sum + 2 * i + 1), v); //~ misaligned
}

__global__ void bfloats(__nv_bfloat16 *sum, __nv_bfloat162 v, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd((__nv_bfloat162 *)(sum + 2 * i + 1), v); //~ misaligned
}

__global__ void aligned(__half2 *sum, __half2 v, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(sum + i, v);
}
