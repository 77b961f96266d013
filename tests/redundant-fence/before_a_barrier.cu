// lockstep: check
// The barrier of the block orders what the fence orders.
//--blockDim=4 --gridDim=1
__global__ void reverse(const float *in, float *out) {
    __shared__ float s[4];
    s[threadIdx.x] = in[threadIdx.x];
    __threadfence_block(); //~ redundant-fence warning
    __syncthreads();
    out[threadIdx.x] = s[3 - threadIdx.x];
}
