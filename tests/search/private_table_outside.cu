// lockstep: search --block 64 --grid 2
// As private_table.cu, but no contents of an array would help.
__global__ void pick(const int *which, float *out) {
    float table[8];
    for (int k = 0; k < 8; k++) table[k] = which[k] / (k + 1.0f);
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = table[threadIdx.x % 16]; //~ out-of-bounds
}
