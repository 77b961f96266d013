// The host halves the size of the block until it fits: two warps may be left.
// lockstep: check --only data-race
__global__ void turn(int *out) {
    __shared__ int s[1024];
    s[threadIdx.x] = threadIdx.x; //~ data-race
    __syncwarp();
    out[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x]; //~ data-race
}

void launch(int *out, int n) {
    int threads = 512;
    while (threads > n || threads > 64) threads /= 2;
    if (threads) turn<<<1, threads>>>(out);
}
