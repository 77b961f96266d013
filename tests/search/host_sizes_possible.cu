// exit: 3
// Outside for some numbers that the host may give, which perhaps nobody does: these are possible only.

// Right for 4096 elements and more.
__global__ void tile(float *all, int n) {
    if (n > 0) all[threadIdx.x * 16] = n; //~ out-of-bounds
}
void tiles(int n) {
    float *a;
    cudaMalloc(&a, n * sizeof(float));
    tile<<<1, 256>>>(a, n);
}

// Right where there is one less than a power of two.
__global__ void pairs(float *all, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int last = (n & (n + 1)) == 0 ? n - 1 : n;
    if (i <= last) all[i] = 1.0f; //~ out-of-bounds
}
void powers(int n) {
    float *a;
    cudaMalloc(&a, n * sizeof(float));
    pairs<<<n / 256 + 1, 256>>>(a, n);
}
