// Private arrays indexed by data, in one and two dimensions.
// launch: block=32 grid=1
// arg: in=u32[256]:random
// arg: out=u32[512]
#pragma OPENCL FP_CONTRACT OFF

kernel void arrays(global const uint *in, global uint *out) {
    size_t i = get_global_id(0);
    uint bins[8] = {0}, grid[4][4];
    for (int r = 0; r < 4; r++)
        for (int c = 0; c < 4; c++) grid[r][c] = r * 4 + c;
    for (int k = 0; k < 8; k++) {
        uint v = in[8 * i + k];
        bins[v & 7]++;
        uint t = grid[v & 3][(v >> 2) & 3];
        grid[v & 3][(v >> 2) & 3] = grid[(v >> 4) & 3][(v >> 6) & 3];
        grid[(v >> 4) & 3][(v >> 6) & 3] = t + 1;
    }
    for (int k = 0; k < 8; k++) out[16 * i + k] = bins[k] + 100 * grid[k / 4][k % 4];
    for (int k = 8; k < 16; k++) out[16 * i + k] = grid[k / 4][k % 4];
}
