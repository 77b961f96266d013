// lockstep: search
// The reduction is an instance for blocks of 128: with fewer threads it reads sums that no warp has written. That is not
// a fault of the kernel, but of a launch that nobody makes.
template <int Threads> struct Reduction {
    float sums[Threads / 32];
    __device__ float of(float x) {
        for (int lane = 16; lane > 0; lane /= 2) x += __shfl_down_sync(0xffffffff, x, lane);
        if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = x;
        __syncthreads();
        float all = 0;
        for (int warp = 0; warp < Threads / 32; warp++) all += sums[warp]; //~ uninitialised-read warning
        return all;
    }
};

__global__ void norm(const float *in, float *out) {
    __shared__ Reduction<128> reduction;
    float x = in[blockIdx.x * blockDim.x + threadIdx.x];
    float all = reduction.of(x * x);
    if (threadIdx.x == 0) out[blockIdx.x] = all;
}
