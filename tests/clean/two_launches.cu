// Proved of each of the two.
__global__ void fill(float *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] = i;
}

int main() {
    float *x;
    cudaMalloc(&x, 2000 * sizeof(float));
    fill<<<1, 32>>>(x, 20);
    fill<<<16, 128>>>(x, 2000);
}
