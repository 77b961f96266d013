// lockstep: search --block 64 --grid 2
// Which entry of its own table a thread takes stands in an array: that it is outside rests on what we put there.
// exit: 3
__global__ void pick(const int *which, float *out) {
    float table[8];
    for (int k = 0; k < 8; k++) table[k] = 1.0f / (k + 1);
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = table[which[i] - 1]; //~ out-of-bounds
}
