// The host halves the size of the block until it fits, and at most a warp is left.
// lockstep: check --only data-race
__global__ void turn(int *out) {
    __shared__ int s[1024];
    s[threadIdx.x] = threadIdx.x;
    __syncwarp();
    out[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}

void launch(int *out, int n) {
    int threads = 512;
    while (threads > n || threads > 32) threads /= 2;
    if (threads) turn<<<1, threads>>>(out);
}
