// lockstep: search
// A row of the output has as many elements as are written to it.
__global__ void splice(const float *__restrict__ in, const int *__restrict__ offset, float *__restrict__ out, int rows,
                       int parts, int width) {
    int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
    if (r < rows && c < parts * width) {
        int from = min(max(r + offset[c / width], 0), rows - 1);
        out[r * parts * width + c] = in[from * width + c % width];
    }
}
