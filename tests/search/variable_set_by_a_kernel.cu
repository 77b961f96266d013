// Another kernel of the file sets the length.
namespace {
__device__ int length;
}

__global__ void prepare(int n) {
    if (threadIdx.x == 0 && blockIdx.x == 0) length = n;
}

__global__ void fill(int *out) {
    out[blockIdx.x * length + threadIdx.x] = blockIdx.x; //~ data-race warning
}
