// lockstep: search
// The guard is closed before the barrier and opened again behind it.
__global__ void join(const int *left, const int *right, int *flag, int pairs) {
    __shared__ int side[1024];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t, equal = 0;
    side[t] = i < pairs ? left[i] : -1;
    __syncthreads();
    if (i < pairs && side[max(t - 1, 0)] == right[i]) equal = 1;
    __syncthreads();
    side[t] = equal;
    __syncthreads();
    flag[i] = side[t] + side[0];
}
