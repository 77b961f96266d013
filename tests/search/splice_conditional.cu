// lockstep: search
// Rows are put together from parts of rows nearby, which a table names. The table decides only what is read: a race needs
// an output stride that is smaller than a row of the output. splice_fixed.cu has one block for a row, and no stride.
__global__ void splice(const float *__restrict__ in, const int *__restrict__ offset, float *__restrict__ out, int rows,
                       int parts, int width, int stride) {
    int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
    if (r < rows && c < parts * width) {
        int from = min(max(r + offset[c / width], 0), rows - 1);
        out[r * stride + c] = in[from * width + c % width]; //~ data-race warning
    }
}
