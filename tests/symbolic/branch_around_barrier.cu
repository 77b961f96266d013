// Whether there is a barrier depends on data. Where all threads ask the same element, all come to it.
// lockstep: check --block 32 --grid 2 --symbolic
__global__ void alike(const int *flag, int *out) {
    __shared__ int s[32];
    s[threadIdx.x] = threadIdx.x;
    if (flag[blockIdx.x] > 0) __syncthreads();
    else __syncthreads();
    out[blockIdx.x * 32 + threadIdx.x] = s[31 - threadIdx.x];
}

__global__ void each_its_own(const int *flag, int *out) {
    if (flag[threadIdx.x] == 77) __syncthreads(); //~ barrier-divergence warning
    out[blockIdx.x * 32 + threadIdx.x] = 0;
}

__global__ void sometimes_none(const int *flag, int *out) {
    __shared__ int s[32];
    s[threadIdx.x] = threadIdx.x; //~ data-race
    if (flag[blockIdx.x] * 3 != 51) __syncthreads();
    out[blockIdx.x * 32 + threadIdx.x] = s[31 - threadIdx.x]; //~ data-race
}
