// The host launches more threads than any simulation runs: other grids are tried, and what is proved is proved for all.
// lockstep: check --only data-race
__global__ void fill(float *cells, unsigned width, unsigned height) {
    unsigned x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    if (x < width && y < height) cells[(size_t)y * width + x] = x;
}

__global__ void halved(float *cells, unsigned width, unsigned height) {
    unsigned x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    if (x < width && y < height) cells[(size_t)y * width + x / 2] = x; //~ data-race
}

int main() {
    float *cells;
    cudaMalloc(&cells, 80000ull * 80000 * sizeof(float));
    fill<<<dim3(2500, 2500), dim3(32, 32)>>>(cells, 80000, 80000);
    halved<<<dim3(2500, 2500), dim3(32, 32)>>>(cells, 80000, 80000);
}
