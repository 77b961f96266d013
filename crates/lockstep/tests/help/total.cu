__global__ void total(int n, const float *x, float *out) {
    __shared__ float sums[64];
    int t = threadIdx.x;
    sums[t] = t < n ? x[t] : 0;
    for (int stride = 32; stride > 0; stride /= 2) {
        __syncthreads();
        if (t < stride) sums[t] += sums[t + stride];
    }
    if (t == 0) out[0] = sums[0];
}
