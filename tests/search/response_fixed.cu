// lockstep: search
// The private sums go into the reduction as they are; its first barrier separates its two uses.
__device__ float block_total(float mine) {
    __shared__ float cell[1024];
    __syncthreads();
    cell[threadIdx.x] = mine;
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) cell[threadIdx.x] += cell[threadIdx.x + half];
    }
    __syncthreads();
    return cell[0];
}

__global__ void response(const float *gradient, float *out, int samples) {
    float xx = 0, yy = 0;
    for (int k = threadIdx.x; k < samples; k += blockDim.x) {
        float g = gradient[blockIdx.x * samples + k];
        xx += g * g;
        yy += g;
    }
    xx = block_total(xx);
    yy = block_total(yy);
    if (threadIdx.x == 0) out[blockIdx.x] = xx - yy;
}
