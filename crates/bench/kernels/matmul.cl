// Tiled matrix product: C = A * B, all n by n; block 16 by 16.
#define T 16
kernel void matmul(global const float *a, global const float *b, global float *c, int n) {
    local float ta[T][T], tb[T][T];
    int x = get_local_id(0), y = get_local_id(1);
    int col = get_global_id(0), row = get_global_id(1);
    float sum = 0.0f;
    for (int k = 0; k < n; k += T) {
        ta[y][x] = a[row * n + k + x];
        tb[y][x] = b[(k + y) * n + col];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int j = 0; j < T; j++) sum += ta[y][j] * tb[j][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + col] = sum;
}
