// The host asks for shared memory by the size of the block, and the kernel uses twice as much, or as much.
// lockstep: check --only out-of-bounds
__global__ void twice(const float *in, float *out) {
    extern __shared__ float s[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float *sums = s, *squares = s + blockDim.x;
    sums[threadIdx.x] = in[i];
    squares[threadIdx.x] = in[i] * in[i]; //~ out-of-bounds
    __syncthreads();
    out[i] = sums[blockDim.x - 1 - threadIdx.x] + squares[blockDim.x - 1 - threadIdx.x]; //~ out-of-bounds
}

__global__ void once(const float *in, float *out) {
    extern __shared__ float s[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    s[threadIdx.x] = in[i];
    __syncthreads();
    out[i] = s[blockDim.x - 1 - threadIdx.x];
}

void launch(const float *in, float *out, int blocks, int threads) {
    twice<<<blocks, threads, threads * sizeof(float)>>>(in, out);
    once<<<blocks, threads, threads * sizeof(float)>>>(in, out);
}

// The size of the memory is an argument of the kernel, and not that of the block.
__global__ void one_more(short *out, int n) {
    extern __shared__ short line[];
    for (int i = threadIdx.x; i <= n; i += blockDim.x) line[i] = i; //~ out-of-bounds
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = line[i + 1]; //~ out-of-bounds
}

void lines(short *out, int n) { one_more<<<1, 128, n * sizeof(short)>>>(out, n); }

// What the host computes in another way may fit.
int bytes_for(int threads);

__global__ void unknown_size(float *out) {
    extern __shared__ float s[];
    s[2 * threadIdx.x] = threadIdx.x;
    out[blockIdx.x * blockDim.x + threadIdx.x] = s[2 * threadIdx.x];
}

void elsewhere(float *out, int threads) { unknown_size<<<1, threads, bytes_for(threads)>>>(out); }
