// lockstep: search
// Rows and planes with strides of their own: what is written does not overlap where each spans what is below it.
// two_strides_race.cu writes the end of each row from all its threads.
__global__ void two_strides(float *out, const float *in, int columns, int row_stride, int plane_stride) {
    float *row = out + blockIdx.y * plane_stride + blockIdx.x * row_stride;
    for (int c = threadIdx.x; c < columns; c += blockDim.x)
        row[c] = in[c] + blockIdx.x + 10 * blockIdx.y; //~ data-race warning
}
