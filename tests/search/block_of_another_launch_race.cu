// lockstep: check
// As block_of_another_launch.cu, but rows are 63 elements long.
struct Plan { dim3 grid, block; };
void load(Plan *plan);

__global__ void fill(int *out, int rows) {
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    for (int i = 0; i < 64; i += 32) out[row * 63 + i + threadIdx.x] = row; //~ data-race
}

void usual(int *out, int rows) {
    fill<<<(rows + 3) / 4, dim3(32, 4)>>>(out, rows);
}

void planned(int *out, int rows) {
    Plan plan;
    load(&plan);
    fill<<<plan.grid, plan.block>>>(out, rows);
}
