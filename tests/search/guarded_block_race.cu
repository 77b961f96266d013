// The same kernel, where the host allows blocks of two warps.
// lockstep: check --only data-race
#include <algorithm>

__device__ void exchange(int *out) {
    __shared__ int s[1024];
    s[threadIdx.x] = threadIdx.x; //~ data-race
    __syncwarp();
    out[blockIdx.x * blockDim.x + threadIdx.x] = s[blockDim.x - 1 - threadIdx.x]; //~ data-race
}

__global__ void returned(int *out) { exchange(out); }
__global__ void limited(int *out) { exchange(out); }

void launch(int *out, int width) {
    limited<<<4, std::min(width, 64)>>>(out);
    if (width > 64 || width < 1) return;
    returned<<<1, width>>>(out);
}
