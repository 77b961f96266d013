// Two halves of shared memory. The second begins at a parameter that is also the number of elements of each.
// lockstep: check --shared 4096 --only data-race
extern __shared__ int shared[];

__global__ void sums(int *out, const int *in, int C, int n) {
    int *first = shared;
    int *second = shared + C;
    for (int i = threadIdx.x; i < C; i += blockDim.x) {
        first[i] = 0;
        second[i] = 0;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        atomicAdd(&first[in[i] & 15], 1);
        atomicAdd(&second[in[i] & 15], 2);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < C; i += blockDim.x) {
        out[blockIdx.x * C + i] = first[i] + second[i];
    }
}
