// lockstep: search
// As packed_rows_conditional.cu, but each row ends with a vector too many, whatever its length.
__global__ void packed_rows(const int *in, unsigned char *out, int length, int rows) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    for (int i = 0; i <= length; i += 4) {
        int v = in[row] + i;
        memcpy(&out[row * length + i], &v, 4); //~ data-race
    }
}
