// lockstep: check --only redundant-fence
// No access of the kernel tells another thread of the order: the fence serves nobody, however large the launch is.
__global__ void reverse(const float *in, float *out) {
    __shared__ float s[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    s[threadIdx.x] = in[i];
    __threadfence_block(); //~ redundant-fence warning
    __syncthreads();
    out[i] = s[blockDim.x - 1 - threadIdx.x];
}

// The host may read what a fence of the system orders while the kernel runs.
__global__ void for_the_host(const float *in, float *out) {
    out[blockIdx.x * blockDim.x + threadIdx.x] = in[threadIdx.x];
    __threadfence_system(); //~ redundant-fence warning
}
// exit: 3
