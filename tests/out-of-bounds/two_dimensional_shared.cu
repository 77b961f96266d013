// A column beyond the row, in the last row of all.
// lockstep: run --block 8,4 --grid 1 --arg 'out=i32[32]'
__global__ void k(int *out) {
    __shared__ int s[4][8];
    int x = threadIdx.x, y = threadIdx.y;
    s[y][x] = x + y;
    __syncthreads();
    out[8 * y + x] = s[y + 1][x]; //~ out-of-bounds
}
