// lockstep: search
// The branch ends before the barrier and begins again behind it.
__global__ void describe(const float *patch, float *out, int features) {
    __shared__ float bins[1024];
    int x = threadIdx.x, y = threadIdx.y, w = blockDim.x;
    int f = blockIdx.x * blockDim.y + y;
    float sum = 0;
    bins[y * w + x] = f < features ? patch[f * w + x] : 0;
    __syncthreads();
    if (f < features)
        for (int k = 0; k < w; k++) sum += bins[y * w + k];
    __syncthreads();
    bins[y * w + x] = sum;
    __syncthreads();
    out[f * w + x] = bins[y * w + w - 1 - x];
}
