// Code that nvcc compiles and clang does not, and the other way round, is named beside what is proved.
// lockstep: check --only data-race
// exit: 3
#ifdef __clang__
#define ITS_OWN(i) (i)
#else
#define ITS_OWN(i) 0
#endif

__global__ void left_out(int *a) {
#ifdef __NVCC__
    a[0] = threadIdx.x;
#endif
    a[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

__global__ void kept(int *a) {
    __shared__ int s[64];
    s[threadIdx.x % 64] = 1; //~ data-race warning
#if defined(__clang__)
    __syncthreads();
#endif
    a[blockIdx.x * blockDim.x + threadIdx.x] = 2;
}

__global__ void by_a_macro(int *a) { a[ITS_OWN(blockIdx.x * blockDim.x + threadIdx.x)] = threadIdx.x; }

// Both compile the same of this one.
__global__ void same(int *a) {
#if defined(__NVCC__) || defined(__clang__)
    a[blockIdx.x * blockDim.x + threadIdx.x] = 3;
#endif
}

#ifdef __NVCC__
__global__ void gone(int *a) { a[0] = threadIdx.x; }
#endif
