// lockstep: search
// One row of threads for each feature: the rows beyond the last feature skip the barrier that the others wait at, and wait
// at another. descriptor_fixed.cu has the barrier outside the branch.
__global__ void describe(const float *patch, float *out, int features) {
    __shared__ float bins[1024];
    int x = threadIdx.x, y = threadIdx.y, w = blockDim.x;
    int f = blockIdx.x * blockDim.y + y;
    float sum = 0;
    bins[y * w + x] = 0;
    if (f < features) {
        bins[y * w + x] = patch[f * w + x];
        __syncthreads(); //~ barrier-divergence
        for (int k = 0; k < w; k++) sum += bins[y * w + k];
    }
    __syncthreads(); //~ barrier-divergence
    bins[y * w + x] = sum;
    __syncthreads();
    out[f * w + x] = bins[y * w + w - 1 - x];
}
