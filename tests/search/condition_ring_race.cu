// What collides is a step that is no multiple of the block.
// lockstep: check --skip redundant-barrier
__global__ void k(int *o, int step) {
    __shared__ int s[1024];
    int t = threadIdx.x;
    s[t] = o[t];
    __syncthreads();
    s[t] += s[(t + step) % blockDim.x]; //~ data-race warning
    __syncthreads();
    o[t] = s[t];
}
