// Nothing says that the array is not the table: the proof does.
__device__ int table[1024];
static __device__ int own[1024];

__global__ void reverse(int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && i < 1024) out[i] = table[1023 - i] + own[i];
}
