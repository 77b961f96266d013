// lockstep: search
// The number of rounds is an element of an array, one for each thread: threads with fewer rounds are at the last barrier
// while others are at that of the loop. trip_count_fixed.cu takes the block's greatest for all.
__global__ void iterate(const int *rounds, int *out) {
    __shared__ int s[1024];
    int t = threadIdx.x, size = blockDim.x, i = blockIdx.x * size + t, mine = rounds[i] & 7, v = mine;
    for (int k = 0; k < mine; k++) {
        s[t] = v;
        __syncthreads(); //~ barrier-divergence
        v += s[(t + 1) % size];
        __syncthreads();
    }
    s[t] = v;
    __syncthreads(); //~ barrier-divergence
    out[i] = s[size - 1 - t];
}
