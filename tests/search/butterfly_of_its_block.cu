// lockstep: search
// The array has an element for each thread of the block that the author had in mind; a smaller
// block leaves some unwritten, which is no fault of the kernel by itself.
#define THREADS 128

__device__ float everyones_sum(float *parts) {
    for (unsigned bit = THREADS / 2; bit > 0; bit >>= 1) {
        float both = parts[threadIdx.x] + parts[threadIdx.x ^ bit]; //~ uninitialised-read warning
        __syncthreads();
        parts[threadIdx.x] = both;
        __syncthreads();
    }
    return parts[threadIdx.x];
}

__global__ void row_sums(const float *in, float *out, int length) {
    __shared__ float parts[THREADS];
    float sum = 0;
    for (int i = threadIdx.x; i < length; i += blockDim.x)
        sum += in[blockIdx.x * length + i];
    parts[threadIdx.x] = sum;
    __syncthreads();
    sum = everyones_sum(parts);
    if (threadIdx.x == 0)
        out[blockIdx.x] = sum;
}
