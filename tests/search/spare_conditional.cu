// lockstep: search
// The last block leaves a result in a spare element behind the data that all blocks read. Where the spare element lies is
// an argument: only if it lies within the data do they meet. spare_race.cu leaves it in the data for certain.
__global__ void spare(float *data, int spare, int n) {
    float sum = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) sum += data[i]; //~ data-race warning
    if (blockIdx.x == gridDim.x - 1 && threadIdx.x == 0) data[spare] = sum; //~ data-race warning
}
