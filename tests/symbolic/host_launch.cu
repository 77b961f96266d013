// The dimensions and a size are those of the host's launch: the verdict names them.
// lockstep: check --skip redundant-barrier
__global__ void turned(const int *by, int *out, int n) {
    __shared__ int s[64];
    s[(threadIdx.x + by[blockIdx.x]) % n & 63] = 0;
    __syncthreads();
    s[(threadIdx.x + by[blockIdx.x]) & (n - 1)] = threadIdx.x;
    __syncthreads();
    out[blockIdx.x * n + threadIdx.x] = s[threadIdx.x];
}

void launch(const int *by, int *out) { turned<<<4, 64>>>(by, out, 64); }
