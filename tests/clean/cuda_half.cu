#include <cuda_fp16.h>

__global__ void twice(__half *h, float4 *f, unsigned char *c, unsigned long long *l) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    h[i] = __hadd(h[i], h[i]);
    f[i].x = 1;
    c[i] = 2;
    l[i] = 3;
}
