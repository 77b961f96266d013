// Rows are warps here: a thread reads the row above.
// lockstep: run --block 32,4 --grid 1 --arg 'out=i32[128]'
__global__ void k(int *out) {
    __shared__ int s[4][32];
    int x = threadIdx.x, y = threadIdx.y;
    s[y][x] = x * y; //~ data-race
    out[32 * y + x] = y > 0 ? s[y - 1][x] : 0; //~ data-race
}
