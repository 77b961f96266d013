// --block 64 --grid 4
// Barriers: even_ is proved, uneven_ is found, perhaps_ is possible.

__global__ void even_plain(int *a) { __syncthreads(); }
__global__ void even_under_parameter(int *a, int n) { if (n > 3) __syncthreads(); }
__global__ void even_in_loop(int *a, int n) { for (int i = 0; i < n; ++i) __syncthreads(); }
__global__ void even_by_block(int *a) { if (blockIdx.x > 1) __syncthreads(); }
__global__ void even_by_read_only(const int *a) { if (a[blockIdx.x]) __syncthreads(); }
__global__ void even_always_true(int *a) { if (threadIdx.x < 64) __syncthreads(); }
__global__ void uneven_half(int *a) { if (threadIdx.x < 32) __syncthreads(); }
__global__ void uneven_return(int *a) {
    if (threadIdx.x == 5) return;
    __syncthreads();
}
__global__ void uneven_loop(int *a) { for (int i = 0; i < threadIdx.x; ++i) __syncthreads(); }
__global__ void perhaps_by_data(const int *a) { if (a[threadIdx.x]) __syncthreads(); }
__global__ void uneven_two_barriers(int *a) {
    if (threadIdx.x & 1) __syncthreads(); else __syncthreads();
}
