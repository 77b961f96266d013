// lockstep: search
// Threads beyond the last element add up nothing, but come to the barrier.
__global__ void diagonal(const float *a, const float *b, float *out, int n) {
    __shared__ float part[1024];
    int t = threadIdx.x, half = (blockDim.x + 1) / 2, i = blockIdx.x * half + t % half;
    float sum = 0;
    if (i < n)
        for (int k = t / half; k < n; k += 2) sum += a[i * n + k] * b[k * n + i];
    part[t] = sum;
    __syncthreads();
    if (t < half && i < n) out[i] = part[t] + (t + half < blockDim.x ? part[t + half] : 0);
}
