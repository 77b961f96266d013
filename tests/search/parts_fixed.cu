// lockstep: search
// Each thread has a part of its own.
__global__ void fill(float *out, int n, int part) {
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * part;
    for (int k = 0; k < part && first + k < n; k++) out[first + k] = k;
}
