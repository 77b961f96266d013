// Conditions on the architecture that leave nothing out.

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 300
#error "too old"
#endif

#ifdef __CUDA_ARCH__
#define ON_DEVICE 1
#else
#define ON_DEVICE 0
#endif

__host__ __device__ int number(int i) {
#ifdef __CUDA_ARCH__
    return i;
#else
    return i / 2;
#endif
}

__device__ int other(int i) {
#if __CUDA_ARCH__ >= 800
    return i / 2;
#else
    return i;
#endif
}

__global__ void device_code(int *a) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#if !defined(__CUDA_ARCH__)
    a[0] = i;
#elif __CUDA_ARCH__ >= 300
    a[number(i)] = ON_DEVICE;
#else
    a[0] = i;
#endif
}

// Another function hangs on it, which this kernel does not call.
__global__ void elsewhere(int *a) {
#if 0
    a[0] = other(1);
#endif
    a[blockIdx.x * blockDim.x + threadIdx.x] = 1; // not other()
}
