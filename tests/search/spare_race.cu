// lockstep: search
// As spare_conditional.cu, but the result is left in the first element that the others read.
__global__ void spare(float *data, int spare, int n) {
    float sum = spare;
    for (int i = threadIdx.x; i < n; i += blockDim.x) sum += data[i]; //~ data-race
    if (blockIdx.x == gridDim.x - 1 && threadIdx.x == 0) data[0] = sum; //~ data-race
}
