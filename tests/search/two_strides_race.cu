// lockstep: search
// As two_strides_conditional.cu, but all threads of a row write one element behind it.
__global__ void two_strides(float *out, const float *in, int columns, int row_stride, int plane_stride) {
    float *row = out + blockIdx.y * plane_stride + blockIdx.x * row_stride;
    for (int c = threadIdx.x; c < columns; c += blockDim.x)
        row[columns] = in[c] + c; //~ data-race
}
