// lockstep: check
// The host launches 32 threads a row here, and as many as a plan in memory says there: the first is a fact, and nothing is
// guessed for the second. With 64 threads a row, they would overlap. In block_of_another_launch_race.cu
// 32 are too many.
struct Plan { dim3 grid, block; };
void load(Plan *plan);

__global__ void fill(int *out, int rows) {
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    for (int i = 0; i < 64; i += 32) out[row * 64 + i + threadIdx.x] = row;
}

void usual(int *out, int rows) {
    fill<<<(rows + 3) / 4, dim3(32, 4)>>>(out, rows);
}

void planned(int *out, int rows) {
    Plan plan;
    load(&plan);
    fill<<<plan.grid, plan.block>>>(out, rows);
}
