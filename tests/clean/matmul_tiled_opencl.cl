// lockstep: run --block 8,8 --grid 2,2 --arg 'a=f32[256]:random' --arg 'b=f32[256]:random' --arg 'c=f32[256]' --arg n=16
#define TILE 8

kernel void matmul(global const float *a, global const float *b, global float *c, int n) {
    local float as[TILE][TILE], bs[TILE][TILE];
    int x = get_local_id(0), y = get_local_id(1);
    int row = get_global_id(1), column = get_global_id(0);
    float sum = 0.0f;
    for (int m = 0; m < n; m += TILE) {
        as[y][x] = a[row * n + m + x];
        bs[y][x] = b[(m + y) * n + column];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = 0; i < TILE; i++)
            sum = mad(as[y][i], bs[i][x], sum);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + column] = sum;
}
