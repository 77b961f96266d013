//--blockDim=256 --gridDim=4
// A block reduction as it is often written, with one barrier too few: in the loop, a thread reads
// what another thread wrote a step before, and nothing orders the two.
//
//     lockstep check examples/racy_reduce.cu

__global__ void reduce(const float *in, float *out, int n) {
    __shared__ float sums[256];
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;

    sums[t] = i < n ? in[i] : 0.0f;
    __syncthreads();

    for (int stride = blockDim.x / 2; stride > 0; stride /= 2) {
        if (t < stride) sums[t] += sums[t + stride];
        // Missing: __syncthreads();
    }

    if (t == 0) out[blockIdx.x] = sums[0];
}
