// Dimensions that are given do not hide what the host gives.
// lockstep: check --block 64 --grid 2
__global__ void shift(int *a, const int *b) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] = b[i]; //~ data-race
}

void run(int *d, int blocks) {
    shift<<<blocks, 128>>>(d, d + 1);
}
