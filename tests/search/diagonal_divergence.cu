// lockstep[independent]: search
// lockstep[warp]: search --scheduling lockstep
// Two threads, one in each half of a block, add up one element of a diagonal. Those beyond the last element return before
// the barrier: hardware since Volta counts them as arrived, older hardware does not. diagonal_fixed.cu lets them stay.
__global__ void diagonal(const float *a, const float *b, float *out, int n) {
    __shared__ float part[1024];
    int t = threadIdx.x, half = (blockDim.x + 1) / 2, i = blockIdx.x * half + t % half;
    if (i >= n) //~[independent] barrier-divergence warning //~[warp] barrier-divergence
        return;
    float sum = 0;
    for (int k = t / half; k < n; k += 2) sum += a[i * n + k] * b[k * n + i];
    part[t] = sum;
    __syncthreads(); //~[independent] barrier-divergence warning //~[warp] barrier-divergence
    if (t < half) out[i] = part[t] + (t + half < blockDim.x ? part[t + half] : 0);
}
