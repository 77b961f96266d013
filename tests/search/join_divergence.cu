// lockstep: search
// Candidate pairs are compared by the threads that have one, with a barrier between copying the left sides and comparing;
// then all threads meet again. join_fixed.cu has the first barrier outside the guard.
__global__ void join(const int *left, const int *right, int *flag, int pairs) {
    __shared__ int side[1024];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t, equal = 0;
    side[t] = -1;
    if (i < pairs) {
        side[t] = left[i];
        __syncthreads(); //~ barrier-divergence
        if (side[max(t - 1, 0)] == right[i]) equal = 1;
    }
    __syncthreads(); //~ barrier-divergence
    side[t] = equal;
    __syncthreads();
    flag[i] = side[t] + side[0];
}
