// lockstep: search
// A column of a field in shared memory with a ring of one element on either side, filled from the other end. How many
// rows there are is an argument, and has to be as many as the block has. periodic_uninitialised.cu forgets one end.
__global__ void periodic(const float *in, float *out, int rows) {
    __shared__ float column[66];
    int y = threadIdx.y, at = blockIdx.x * blockDim.y + y;
    column[y + 1] = in[at];
    __syncthreads();
    if (y == 0) {
        column[0] = column[rows];
        column[rows + 1] = column[1];
    }
    __syncthreads();
    float above = column[y]; //~ uninitialised-read warning
    float below = column[y + 2]; //~ uninitialised-read warning
    out[at] = above - 2 * column[y + 1] + below;
}
