// lockstep: search
// Rows of small numbers, written four at a time: where a row is no multiple of four long, the last vector of a row reaches
// into the next one. packed_rows_race.cu writes one vector too many in every row.
__global__ void packed_rows(const int *in, unsigned char *out, int length, int rows) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    for (int i = 0; i < length; i += 4) {
        int v = in[row] + i;
        memcpy(&out[row * length + i], &v, 4); //~ data-race warning
    }
}
