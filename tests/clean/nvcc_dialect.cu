// What nvcc accepts and clang does not: a size_t of the file's own, and __device__ before a __shared__ variable.
// lockstep: run --block 32 --grid 1 --arg 'a=i32[32]:iota'
typedef unsigned int size_t;

__device__ int opposite(size_t i) { return 31 - (int)i; }

__global__ void reverse(int *a) {
    __device__ __shared__ int s[32];
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    a[threadIdx.x] = s[opposite(threadIdx.x)];
}
