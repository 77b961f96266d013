// lockstep: search
// As periodic_conditional.cu, but the end behind the last row is never filled, however many rows there are.
__global__ void periodic(const float *in, float *out, int rows) {
    __shared__ float column[66];
    int y = threadIdx.y, at = blockIdx.x * blockDim.y + y;
    column[y + 1] = in[at];
    __syncthreads();
    if (y == 0) column[0] = column[rows];
    float above = column[y]; //~ uninitialised-read warning
    float below = column[y + 2]; //~ uninitialised-read
    out[at] = above - 2 * column[y + 1] + below;
}
