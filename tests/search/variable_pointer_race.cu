// What goes through it races as through any other.
__device__ float *values;

__global__ void fill(int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) values[i / 2] = i; //~ data-race
}
