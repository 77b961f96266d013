// lockstep: search
// Neighbours within a warp exchange values: __syncwarp() would do, but without any barrier there is a race. Not redundant.
__global__ void swap_pairs(const int *in, int *out) {
    __requires(blockDim.x % 2 == 0);
    __shared__ int s[1024];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    s[t] = in[i];
    __syncthreads();
    out[i] = s[t ^ 1];
}
