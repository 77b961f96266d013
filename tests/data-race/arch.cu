// lockstep[volta]: check
// lockstep[ampere]: check --arch sm_80

// Race-free as long as only the older branch is looked at.
__global__ void chosen(int *a) {
#if __CUDA_ARCH__ >= 800
    a[0] = threadIdx.x; //~[ampere] data-race
#else
    a[blockIdx.x * blockDim.x + threadIdx.x] = 1;
#endif
}

#if defined(__CUDA_ARCH__) && (__CUDA_ARCH__ >= 800)
#define HAS_ASYNC 1
#endif

__device__ void store(int *a, int i) {
#ifdef HAS_ASYNC
    a[i / 2] = threadIdx.x; //~[ampere] data-race
#else
    a[i] = threadIdx.x;
#endif
}

// The branch stands in a function, its condition in a macro.
__global__ void through_a_call(int *a) {
    store(a, blockIdx.x * blockDim.x + threadIdx.x);
}

constexpr bool whole = __CUDA_ARCH__ < 800;

// No line is left out, but one means something else.
__global__ void by_a_constant(int *a) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if constexpr (whole) {
        a[i] = 1;
    } else {
        a[i % 7] = i; //~[ampere] data-race
    }
}
