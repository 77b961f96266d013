// The same with the pointers the other way round.
__global__ void shift(const float *a, float *b, float *c) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    b[i] = a[i]; //~ data-race
    c[i] = 1;
}

int main() {
    float *d;
    cudaMalloc((void **)&d, 1025 * sizeof(float));
    float *after = d + 1;
    shift<<<2, 256>>>(after, d, d + 513);
}
