// Twice the step must be less than n: none of the conditions that are tried says so, and the one shown is an example.
__global__ void k(int *a, int n, int step) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + step < n)
        a[i] = a[i + step] + 1; //~ data-race warning
}
