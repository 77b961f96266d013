// lockstep: search
// All rows come to the barrier behind each halving.
__global__ void ballot(const int *votes, int *winner) {
    __shared__ int best[1024];
    int x = threadIdx.x, y = threadIdx.y, h = blockDim.y, me = x * h + y;
    best[me] = votes[blockIdx.x * blockDim.x * h + me];
    __syncthreads();
    for (int rows = h / 2; rows > 0; rows /= 2) {
        if (y < rows)
            best[me] = min(best[me], best[me + rows]);
        __syncthreads();
    }
    winner[blockIdx.x * blockDim.x * h + me] = best[x * h];
}
