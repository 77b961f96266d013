// Sorts pieces of an array, by comparing and exchanging in shared memory.
// launch[small]: --block 32 --grid 2 --arg 'keys=u32[128]:random'
// launch[large]: --block 512 --grid 32768 --arg 'keys=u32[33554432]:random'
__global__ void bitonic(unsigned *keys) {
    __shared__ unsigned s[1024];
    unsigned t = threadIdx.x, n = 2 * blockDim.x;
    s[t] = keys[blockIdx.x * n + t];
    s[t + blockDim.x] = keys[blockIdx.x * n + blockDim.x + t];
    __syncthreads();
    for (unsigned size = 2; size <= n; size *= 2) {
        for (unsigned stride = size / 2; stride > 0; stride /= 2) {
            unsigned low = t / stride * 2 * stride + t % stride, high = low + stride;
            unsigned a = s[low], b = s[high];
            if ((a > b) == ((low & size) == 0)) {
                s[low] = b;
                s[high] = a;
            }
            __syncthreads();
        }
    }
    keys[blockIdx.x * n + t] = s[t];
    keys[blockIdx.x * n + blockDim.x + t] = s[t + blockDim.x];
}
