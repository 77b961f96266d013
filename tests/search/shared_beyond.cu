// One thread goes too far, whatever the block.
__global__ void k(int *o) {
    __shared__ int s[8];
    if (threadIdx.x == 0)
        for (int i = 0; i <= 8; i++)
            s[i] = i; //~ out-of-bounds
    __syncthreads();
    o[threadIdx.x] = s[threadIdx.x % 8];
}
