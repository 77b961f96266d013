// --block 64 --grid 4
// Barriers of the whole grid, and numbered ones of the whole block.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void clean_grid(int *a, int *b) {
    int i = blockIdx.x * 64 + threadIdx.x;
    a[i] = i;
    cg::this_grid().sync();
    b[i] = a[255 - i];
}
__global__ void racy_block_only(int *a, int *b) {
    int i = blockIdx.x * 64 + threadIdx.x;
    a[i] = i;
    __syncthreads();
    b[i] = a[255 - i];
}
__global__ void clean_grid_orders_shared(int *a) {
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x;
    cg::this_grid().sync();
    a[blockIdx.x * 64 + threadIdx.x] = s[63 - threadIdx.x];
}
__global__ void clean_grid_rounds(int *a, int *b, int n) {
    int i = blockIdx.x * 64 + threadIdx.x;
    for (int k = 0; k < n; ++k) {
        b[i] = a[255 - i];
        cg::this_grid().sync();
        a[i] = b[i] + k;
        cg::this_grid().sync();
    }
    a[255 - i] = 0;
}
__global__ void racy_grid_rounds(int *a, int *b, int n) {
    int i = blockIdx.x * 64 + threadIdx.x;
    for (int k = 0; k < 3; ++k) {
        b[i] = a[255 - i];
        cg::this_grid().sync();
        a[i] = b[i] + k;
        __syncthreads();
    }
}
// Until nothing changes.
__global__ void clean_grid_until(int *a, int *b, int *again) {
    int i = blockIdx.x * 64 + threadIdx.x;
    do {
        b[i] = a[255 - i];
        cg::this_grid().sync();
        a[i] = b[i] / 2;
        if (i == 0) *again = b[0];
        cg::this_grid().sync();
    } while (*again);
}
__global__ void maybe_grid_until(int *a, int *b, int *again) {
    int i = blockIdx.x * 64 + threadIdx.x;
    do {
        b[i] = a[255 - i];
        cg::this_grid().sync();
        if (i == 0) *again = b[0];
        cg::this_grid().sync();
        a[i] = b[i] / 2;
    } while (*again);
}
// Not all blocks come to it.
__global__ void open_grid_for_some(int *a, int *b) {
    int i = blockIdx.x * 64 + threadIdx.x;
    a[i] = i;
    if (blockIdx.x < 2) cg::this_grid().sync();
    cg::this_grid().sync();
    b[i] = a[i];
}
__global__ void clean_numbered(int *a) {
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x;
    asm volatile("bar.sync 3;" ::: "memory");
    a[blockIdx.x * 64 + threadIdx.x] = s[63 - threadIdx.x];
}
// One of as many consecutive threads as it counts.
__global__ void clean_numbered_of_some(int *a) {
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x;
    if (threadIdx.x < 32) {
        asm volatile("bar.sync 3, 32;" ::: "memory");
        a[blockIdx.x * 64 + threadIdx.x] = s[31 - threadIdx.x];
    }
}
