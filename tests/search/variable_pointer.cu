// A pointer that the host sets is an array of the launch's, not null.
__device__ float *values;
__managed__ float scale;

__global__ void fill(int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) values[i] = scale * i;
}

int main() {
    float *d;
    cudaMalloc((void **)&d, 4096);
    cudaMemcpyToSymbol(values, &d, sizeof d);
    scale = 2;
    fill<<<4, 256>>>(1024);
}
