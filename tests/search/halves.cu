// Three parts of one array, which do not meet.
__global__ void copy(float *a, const float *b, float *c) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] = b[i];
    c[i] = i;
}

int main() {
    float *d;
    cudaMalloc((void **)&d, 3 * 1024 * sizeof(float));
    copy<<<4, 256>>>(d + 1024, d + 2048, d);
}
