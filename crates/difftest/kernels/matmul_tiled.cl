// A matrix product in tiles, in single precision.
// launch: block=8,8 grid=4,4
// arg: a=f32[1024]:random
// arg: b=f32[1024]:random
// arg: c=f32[1024]
// arg: n=i32 32
#pragma OPENCL FP_CONTRACT OFF

kernel void matmul(global const float *a, global const float *b, global float *c, int n) {
    local float ta[8][8], tb[8][8];
    int x = (int)get_local_id(0), y = (int)get_local_id(1);
    int col = (int)get_global_id(0), row = (int)get_global_id(1);
    float sum = 0.0f;
    for (int k = 0; k < n; k += 8) {
        ta[y][x] = a[row * n + k + x];
        tb[y][x] = b[(k + y) * n + col];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int j = 0; j < 8; j++) sum += ta[y][j] * tb[j][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + col] = sum;
}
