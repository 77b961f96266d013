// lockstep: search
// Numbers from 32 on lead to what other threads read meanwhile: a boundary, but one of the kernel, which no argument
// moves. A barrier is missing.
__global__ void place(const int *to, int *out, int n) {
    __shared__ int s[1088];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = threadIdx.x; k < 1088; k += blockDim.x) s[k] = 0;
    __syncthreads();
    if (i < n) {
        atomicAdd(&s[to[i] & 63], 1); //~ data-race
        out[i] = s[threadIdx.x + 32]; //~ data-race
    }
}
