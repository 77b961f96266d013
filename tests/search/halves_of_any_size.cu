// Where the second part begins is not a constant: that the parts do not meet is a condition.
__global__ void copy(float *a, const float *b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] = b[i];
}

void run(int n) {
    float *d;
    cudaMalloc((void **)&d, 2 * n * sizeof(float));
    float *half = d + n;
    copy<<<(n + 255) / 256, 256>>>(d, half, n);
}
