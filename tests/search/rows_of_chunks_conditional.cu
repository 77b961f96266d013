// lockstep: search
// Each thread has eight elements of a row: where a row is no multiple of eight long, the last thread of a row reaches into
// the next one. rows_of_chunks_race.cu has one element too many for every length.
__global__ void rows_of_chunks(const int *in, int *out, int length, int rows) {
    int chunks = (length + 7) / 8;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rows * chunks) return;
    int row = i / chunks, first = i % chunks * 8;
    for (int k = 0; k < 8; k++)
        out[row * length + first + k] = in[i] + k; //~ data-race warning
}
