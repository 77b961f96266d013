// As condition_step_race, from one array to another.
__global__ void k(const int *a, int *b, int step) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    b[i] = a[i + step] + 1;
}
