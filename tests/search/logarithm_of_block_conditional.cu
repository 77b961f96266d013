// lockstep: search
// One element for each thread of the block: logn is the logarithm of the block's size.
__global__ void sums(const float *in, float *out, int logn) {
    __shared__ float data[2048];
    int n = 1 << logn;
    data[threadIdx.x] = in[blockIdx.x * n + threadIdx.x];
    __syncthreads();
    float sum = 0;
    for (int i = 0; i < n; i++) sum += data[i]; //~ uninitialised-read warning
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
