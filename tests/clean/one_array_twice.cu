// Each thread reads the element that it writes.
__global__ void twice(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = 2 * in[i];
}

int main() {
    float *a;
    int n = 1024;
    cudaMalloc(&a, n * sizeof(float));
    twice<<<4, 256>>>(a, a, n);
}
