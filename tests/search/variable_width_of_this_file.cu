// No host function sets this one, and no other file can: it is 0 in every launch.
static __device__ int width;

__global__ void fill(int *out) {
    out[blockIdx.x * width + threadIdx.x] = blockIdx.x; //~ data-race
}

int main() {
    int *d;
    cudaMalloc((void **)&d, 4096);
    fill<<<4, 256>>>(d);
}
