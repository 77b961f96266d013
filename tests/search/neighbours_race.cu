// Both point into one array, and each thread reads what the next one writes.
__global__ void shift(float *a, const float *b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] = b[i]; //~ data-race
}

int main() {
    float *d;
    cudaMalloc((void **)&d, 1025 * sizeof(float));
    shift<<<4, 256>>>(d, d + 1, 1024);
}
