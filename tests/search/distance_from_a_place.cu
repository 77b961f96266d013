// Where in the array both pointers are is not known, but how far they are from each other is.
__global__ void near(char *a, const char *b) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    ((int *)a)[i] = ((const int *)b)[i]; //~ data-race
}

__global__ void far(char *a, const char *b) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    ((int *)a)[i] = ((const int *)b)[i];
}

void host(size_t offset) {
    char *d;
    cudaMalloc((void **)&d, 1 << 16);
    near<<<2, 64>>>(d + offset, d + offset + 4);
    far<<<2, 64>>>(d + offset, d + offset + 512);
}
