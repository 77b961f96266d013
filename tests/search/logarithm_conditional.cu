// lockstep: search
// Blocks have half as many threads as the power of two has elements. Nothing but the caller's launch says so.
__global__ void butterflies(float *data, int log) {
    float *own = data + blockIdx.x * (1 << log);
    for (int k = 0; k < log; k++) {
        int h = 1 << k, i = threadIdx.x / h * 2 * h + threadIdx.x % h;
        float a = own[i], b = own[i + h];  //~ data-race warning
        own[i] = a + b;  //~ data-race warning
        own[i + h] = a - b;  //~ data-race warning
        __syncthreads();
    }
}
