// The host sets the width before the launch: what a width of 0 would do is no fault of the kernel.
__device__ int width;

__global__ void fill(int *out) {
    out[blockIdx.x * width + threadIdx.x] = blockIdx.x; //~ data-race warning
}

int main() {
    int w = 256, *d;
    cudaMemcpyToSymbol(width, &w, sizeof w);
    cudaMalloc((void **)&d, 4096);
    fill<<<4, 256>>>(d);
}
