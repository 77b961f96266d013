// A row of vectors, rounded up: it is the vector that the size has to be a multiple of, not the block.
// lockstep: check --only out-of-bounds
__global__ void negate(float *row, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (2 * i >= n) return;
    float2 pair = ((float2 *)row)[i]; //~ out-of-bounds warning
    ((float2 *)row)[i] = make_float2(-pair.x, -pair.y); //~ out-of-bounds warning
}

void launch(int n) {
    float *row;
    cudaMalloc(&row, n * sizeof(float));
    negate<<<(n / 2 + 64) / 64, 64>>>(row, n);
}
