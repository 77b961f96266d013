// Alignment is the layout's: this `half` may stand at any address, whatever its name.

struct half {
    char c[3];
};
typedef int __attribute__((aligned(1))) anywhere;

__global__ void by_name(half *p, short *o) {
    o[threadIdx.x + blockIdx.x * blockDim.x] = *(const short *)(p + 2 * threadIdx.x);
}

__global__ void by_typedef(anywhere *p, int *o) {
    o[threadIdx.x + blockIdx.x * blockDim.x] = *(const int *)p;
}

// As aligned as it says.
struct __align__(8) pair {
    char c[8];
};

__global__ void said(pair *p, double *o) {
    o[threadIdx.x + blockIdx.x * blockDim.x] = *(const double *)(p + threadIdx.x);
}
