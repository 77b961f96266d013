// The host gives the array that is read as the one that is written.
__global__ void shift(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n - 1)
        out[i] = in[i + 1]; //~ data-race
}

int main() {
    float *a;
    int n = 1024;
    cudaMalloc(&a, n * sizeof(float));
    shift<<<4, 256>>>(a, a, n);
}
