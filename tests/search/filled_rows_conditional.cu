// lockstep: search
// exit: 3
// Each block fills its row in steps of 512, also what is behind the end: the next row, unless the rows are whole steps. Launches with
// such rows are long. The rows of filled_rows_race.cu overlap for every length.
__global__ void __launch_bounds__(512) fill(float *out, const float *in, int batches, int rows, int width, int heads) {
    float *row = out + (blockIdx.y * rows + blockIdx.x) * rows;
    int steps = blockIdx.x / 512 + 1;
    for (int s = 0; s < steps; s++) {
        float sum = 0;
        for (int j = 0; j < 64; j++) sum += in[j] * in[s * 512 + threadIdx.x];
        row[s * 512 + threadIdx.x] = sum * width; //~ data-race warning
    }
}
void launch(float *out, const float *in, int batches, int rows, int width, int heads) {
    fill<<<dim3(rows, batches * heads), 512>>>(out, in, batches, rows, width, heads);
}
