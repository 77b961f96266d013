// Some steps of heat conduction on tiles whose edges are kept at zero, in shared memory.
// launch[small]: --block 16,16 --grid 2,2 --arg 'in=f32[1024]:random' --arg 'out=f32[1024]' --arg width=32 --arg steps=2
// launch[large]: --block 32,32 --grid 128,128 --arg 'in=f32[16777216]:random' --arg 'out=f32[16777216]' --arg width=4096 --arg steps=72
__global__ void stencil(const float *in, float *out, int width, int steps) {
    __shared__ float now[34][34], next[34][34];
    int x = threadIdx.x + 1, y = threadIdx.y + 1;
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    now[y][x] = in[row * width + column];
    if (x == 1) now[y][0] = next[y][0] = 0;
    if (y == 1) now[0][x] = next[0][x] = 0;
    if (x == blockDim.x) now[y][x + 1] = next[y][x + 1] = 0;
    if (y == blockDim.y) now[y + 1][x] = next[y + 1][x] = 0;
    __syncthreads();
    for (int step = 0; step < steps; step += 2) {
        next[y][x] = now[y][x] + 0.125f * (now[y - 1][x] + now[y + 1][x] + now[y][x - 1] + now[y][x + 1] - 4 * now[y][x]);
        __syncthreads();
        now[y][x] = next[y][x] + 0.125f * (next[y - 1][x] + next[y + 1][x] + next[y][x - 1] + next[y][x + 1] - 4 * next[y][x]);
        __syncthreads();
    }
    out[row * width + column] = now[y][x];
}
