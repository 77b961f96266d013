// A row for each block of a plane: what is needed are no more blocks along an axis than rows, whatever their threads.
// lockstep: search
__global__ void halves(float *rows, int heads, int length) {
    float *row = rows + (blockIdx.x * heads + blockIdx.y) * length;
    for (int i = threadIdx.x; i < length / 2; i += blockDim.x) {
        float sum = row[i] + row[i + length / 2]; //~ data-race warning
        row[i] = sum;                             //~ data-race warning
        row[i + length / 2] = -sum;               //~ data-race warning
    }
}
