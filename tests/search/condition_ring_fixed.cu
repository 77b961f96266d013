// As condition_ring_race, with a barrier between reading and writing.
__global__ void k(int *o, int step) {
    __shared__ int s[1024];
    int t = threadIdx.x;
    s[t] = o[t];
    __syncthreads();
    int v = s[(t + step) % blockDim.x];
    __syncthreads();
    s[t] += v;
    o[t] = s[t];
}
