// The host asks for the size of the block before it launches, or limits it; the size is no argument of the kernels. Each is right for
// one warp.
// lockstep: check --only data-race
#include <algorithm>

__device__ void exchange(int *out) {
    __shared__ int s[1024];
    s[threadIdx.x] = threadIdx.x;
    __syncwarp();
    out[blockIdx.x * blockDim.x + threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}

__global__ void returned(int *out) { exchange(out); }
__global__ void asked(int *out) { exchange(out); }
__global__ void limited(int *out) { exchange(out); }
__global__ void cut(int *out) { exchange(out); }
__global__ void remainder(int *out) { exchange(out); }

void launch(int *out, int width, int height) {
    limited<<<4, std::min(width, 32)>>>(out);
    int lanes = height;
    if (lanes > 16) lanes = 16;
    cut<<<1, lanes>>>(out);
    remainder<<<2, unsigned(height) % 32 + 1>>>(out);
    if (width <= 32) asked<<<2, width>>>(out);
    if (width > 32 || width < 1) return;
    returned<<<1, width>>>(out);
}

__global__ void listed(int *out) { exchange(out); }
__global__ void switched(int *out) { exchange(out); }
__global__ void branched(int *out) { exchange(out); }

const int sizes[] = {8, 16, 32};

void choose(int *out, int i, int lanes) {
    listed<<<1, sizes[i]>>>(out);
    branched<<<1, i > 3 ? 32 : 16>>>(out);
    switch (lanes) {
        case 8:
        case 16:
        case 32: switched<<<1, lanes>>>(out); break;
        default: break;
    }
}

// Of a warp or several: no block is a part of one.
__global__ void whole_warps(int *out) {
    __shared__ int first[32];
    if (blockDim.x % 32 != 0 && threadIdx.x < 2) first[0] = threadIdx.x;
    out[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x;
}

void warps(int *out, int threads) {
    if (threads % 32) return;
    whole_warps<<<4, threads>>>(out);
}
