// --block 16 --grid 4
// Tables that nobody can change, read at places that are computed.

__device__ const int order[16] = {0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15};
__device__ const int twice[16] = {0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 7};
__device__ const unsigned short steps[16] = {3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31, 33};
__device__ const int zeros[16] = {};

__global__ void clean_permuted(int *a) { a[blockIdx.x * 16 + order[threadIdx.x]] = threadIdx.x; }
__global__ void racy_permuted_twice(int *a) { a[blockIdx.x * 16 + twice[threadIdx.x]] = threadIdx.x; }
__global__ void clean_in_steps(int *a) { a[blockIdx.x * 64 + steps[threadIdx.x]] = threadIdx.x; }
__global__ void racy_in_short_steps(int *a) { a[blockIdx.x * 64 + steps[threadIdx.x] / 3] = threadIdx.x; }
__global__ void clean_never(int *a) { if (zeros[threadIdx.x]) a[0] = threadIdx.x; }
__global__ void racy_always(int *a) { if (!zeros[threadIdx.x]) a[0] = threadIdx.x; }

typedef void (*writer)(int *, int);
__device__ void at_own(int *a, int i) { a[i] = i; }
__device__ void at_half(int *a, int i) { a[i / 2] = i; }
__device__ void beside_own(int *a, int i) { a[i + 64] = i; }
__device__ const writer good[2] = {at_own, beside_own};
__device__ const writer bad[2] = {at_own, at_half};

__global__ void clean_called_by_table(int *a, unsigned which) {
    good[which % 2](a, blockIdx.x * 16 + threadIdx.x);
}
__global__ void racy_called_by_table(int *a, unsigned which) {
    bad[which % 2](a, blockIdx.x * 16 + threadIdx.x);
}
