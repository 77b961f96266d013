// A cooperative launch whose blocks meet, occupancy, and a launch that is too large to meet.
#include <cooperative_groups.h>
#include <cstdio>
namespace cg = cooperative_groups;

__global__ void two_steps(int *a, int *b) {
    cg::grid_group grid = cg::this_grid();
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] = i;
    grid.sync();
    b[i] = a[(i + 32) % (gridDim.x * blockDim.x)];
}

int main() {
    int *a, *b, host[128];
    cudaMalloc(&a, sizeof host);
    cudaMalloc(&b, sizeof host);
    int blocks = 0, size = 0;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, two_steps, 32, 0);
    cudaOccupancyMaxPotentialBlockSize(&size, &size, two_steps);
    cudaDeviceProp p;
    cudaGetDeviceProperties(&p, 0);
    printf("%s %d\n", blocks * p.multiProcessorCount >= 4 ? "fits" : "does not fit", p.cooperativeLaunch);
    void *args[] = {&a, &b};
    cudaLaunchCooperativeKernel((void *)two_steps, dim3(4), dim3(32), args);
    cudaMemcpy(host, b, sizeof host, cudaMemcpyDeviceToHost);
    printf("%d %d\n", host[0], host[127]);
    cudaError_t e = cudaLaunchCooperativeKernel((void *)two_steps, dim3(1 << 20), dim3(32), args);
    printf("%s\n", cudaGetErrorName(e));
    cudaFree(a);
    cudaFree(b);
}
