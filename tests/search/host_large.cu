// lockstep: check --reproducible --budget 0.05 --only out-of-bounds --only deadlock
// exit: 1
// Launches that take far longer than there is time for: a few of their blocks are executed.

__global__ void last(float *all, int n) {
    for (int round = 0; round < 20; round++) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) all[i] = all[i + 1]; //~ out-of-bounds
    }
}

__global__ void inside(float *all, int n) {
    for (int round = 0; round < 20; round++) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) all[i] *= 2.0f;
    }
}

// The last columns of a grid in two dimensions.
__global__ void columns(float *all, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    for (int round = 0; round < 20; round++)
        if (y < height) all[y + (x / width) * width * height] = 1.0f; //~ out-of-bounds
}

// Blocks that wait for others say nothing without them.
__global__ void in_turn(volatile int *turn, float *all) {
    if (threadIdx.x == 0) {
        while (*turn < blockIdx.x) {
        }
    }
    __syncthreads();
    for (int round = 0; round < 20; round++) all[blockIdx.x * blockDim.x + threadIdx.x] += 1.0f;
    __syncthreads();
    if (threadIdx.x == 0) *turn = blockIdx.x + 1;
}

int main() {
    float *a, *b;
    int *turn;
    cudaMalloc(&a, 1000000 * sizeof(float));
    cudaMalloc(&b, 1008 * 512 * sizeof(float));
    cudaMalloc(&turn, sizeof(int));
    cudaMemset(turn, 0, sizeof(int));
    last<<<3907, 256>>>(a, 1000000);
    inside<<<3907, 256>>>(a, 1000000);
    columns<<<dim3(64, 32), dim3(16, 16)>>>(b, 1008, 512);
    in_turn<<<3906, 256>>>(turn, a);
}
