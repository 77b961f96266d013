// The first launch has one block; in the second, all blocks add to the same elements.
__global__ void add(float *x, const float *y, int n) {
    int i = threadIdx.x;
    if (i < n)
        x[i] += y[blockIdx.x * n + i]; //~ data-race
}

int main() {
    float *x, *y;
    cudaMalloc(&x, 100 * sizeof(float));
    cudaMalloc(&y, 800 * sizeof(float));
    add<<<1, 32>>>(x, y, 20);
    add<<<8, 128>>>(x, y, 100);
}
