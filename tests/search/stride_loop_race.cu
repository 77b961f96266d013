// lockstep: search
// An array is turned round in place with a grid-stride loop over all of it: both partners of a pair store.
// stride_loop_fixed.cu goes over one half and exchanges.
__global__ void turn(float *a, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        a[i] = a[n - 1 - i]; //~ data-race
}
