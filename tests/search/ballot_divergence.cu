// lockstep: search
// Rows of a block vote for the nearest candidate by halving the number of rows; the barrier is inside the branch of the
// rows that still compare. ballot_fixed.cu has it behind the branch.
__global__ void ballot(const int *votes, int *winner) {
    __shared__ int best[1024];
    int x = threadIdx.x, y = threadIdx.y, h = blockDim.y, me = x * h + y;
    best[me] = votes[blockIdx.x * blockDim.x * h + me];
    __syncthreads();
    for (int rows = h / 2; rows > 0; rows /= 2) {
        if (y < rows) {
            best[me] = min(best[me], best[me + rows]);
            __syncthreads(); //~ barrier-divergence
        }
    }
    __syncthreads(); //~ barrier-divergence
    winner[blockIdx.x * blockDim.x * h + me] = best[x * h];
}
