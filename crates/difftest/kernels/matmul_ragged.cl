// A matrix product whose size is no multiple of the tile: guarded loads.
// launch: block=8,8 grid=3,3
// arg: a=i32[400]:random
// arg: b=i32[400]:random
// arg: c=i32[400]
// arg: n=i32 20
#pragma OPENCL FP_CONTRACT OFF

kernel void matmul(global const int *a, global const int *b, global int *c, int n) {
    local uint ta[64], tb[64];
    int x = (int)get_local_id(0), y = (int)get_local_id(1);
    int col = (int)get_global_id(0), row = (int)get_global_id(1);
    uint sum = 0;
    for (int k = 0; k < n; k += 8) {
        ta[y * 8 + x] = row < n && k + x < n ? (uint)a[row * n + k + x] : 0;
        tb[y * 8 + x] = k + y < n && col < n ? (uint)b[(k + y) * n + col] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int j = 0; j < 8; j++) sum += ta[y * 8 + j] * tb[j * 8 + x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (row < n && col < n) c[row * n + col] = (int)sum;
}
