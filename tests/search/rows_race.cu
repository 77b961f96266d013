// lockstep: search
// The last rounds have no barrier.
__global__ void moments(const float *in, float *mean, float *square, int n) {
    __shared__ float sums[2][128];
    int t = threadIdx.x;
    float a = 0, b = 0;
    for (int i = t; i < n; i += blockDim.x) {
        float x = in[blockIdx.x * n + i];
        a += x;
        b += x * x;
    }
    sums[0][t] = a;
    sums[1][t] = b;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (t < half) {
            sums[0][t] += sums[0][t + half];  //~ data-race
            sums[1][t] += sums[1][t + half];  //~ data-race
        }
        if (half > 32) __syncthreads();
    }
    if (t == 0) {
        mean[blockIdx.x] = sums[0][0] / n;
        square[blockIdx.x] = sums[1][0] / n;
    }
}
