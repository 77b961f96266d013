// lockstep[volta]: check
// lockstep[hopper]: check --arch sm_90
// exit[volta]: 3

#define NO_DEVICE_CODE stop(__LINE__)

__device__ void stop(int line) {
    printf("not compiled, line %d\n", line);
    __trap();
}

__global__ void nothing_left(int *a) {
#if __CUDA_ARCH__ >= 800
    a[blockIdx.x * blockDim.x + threadIdx.x] = 1;
#endif
}

__global__ void only_a_trap(int *a) {
#if __CUDA_ARCH__ >= 900
    a[blockIdx.x * blockDim.x + threadIdx.x] = 1;
#else
    NO_DEVICE_CODE;
#endif
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
__global__ void
__launch_bounds__(128)
not_there(int *a) {
    a[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}
#endif

// Empty in the source, too.
__global__ void empty() {}
