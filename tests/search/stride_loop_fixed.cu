// lockstep: search
// A pair belongs to one thread.
__global__ void turn(float *a, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 2; i += gridDim.x * blockDim.x) {
        float other = a[n - 1 - i];
        a[n - 1 - i] = a[i];
        a[i] = other;
    }
}
