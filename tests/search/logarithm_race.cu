// lockstep: search
// No round waits for the one before.
__global__ void butterflies(float *data, int log) {
    float *own = data + blockIdx.x * (1 << log);
    for (int k = 0; k < log; k++) {
        int h = 1 << k, i = threadIdx.x / h * 2 * h + threadIdx.x % h;
        float a = own[i], b = own[i + h];  //~ data-race
        own[i] = a + b;  //~ data-race
        own[i + h] = a - b;  //~ data-race

    }
}
