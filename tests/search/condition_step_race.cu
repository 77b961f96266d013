// Each step that is smaller than the launch collides, not only the one that two threads show.
__global__ void k(int *a, int step) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] = a[i + step] + 1; //~ data-race warning
}
