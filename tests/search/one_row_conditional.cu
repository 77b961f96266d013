// lockstep: check --block 96 --grid 3 --only data-race
// That an array has a single element proves nothing of the kernel.
__global__ void mirror(float *a, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < n && y < n) {
        a[y * n + x] = x;  //~ data-race warning
        a[x * n + y] = y;  //~ data-race warning
    }
}
