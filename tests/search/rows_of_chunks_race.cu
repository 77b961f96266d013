// lockstep: search
// As rows_of_chunks_conditional.cu, but each thread writes nine elements of its eight.
__global__ void rows_of_chunks(const int *in, int *out, int length, int rows) {
    int chunks = (length + 7) / 8;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rows * chunks) return;
    int row = i / chunks, first = i % chunks * 8;
    for (int k = 0; k <= 8; k++)
        out[row * length + first + k] = in[i] + k; //~ data-race
}
