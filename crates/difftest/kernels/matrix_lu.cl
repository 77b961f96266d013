// Gaussian elimination of one small matrix by one group, barriers in a loop.
// launch: block=8,8 grid=1
// arg: a=f32[64]:random(1,8)
#pragma OPENCL FP_CONTRACT OFF

kernel void lu(global float *a) {
    local float m[8][8];
    int x = (int)get_local_id(0), y = (int)get_local_id(1);
    m[y][x] = a[y * 8 + x] + (x == y ? 40.0f : 0.0f);
    for (int k = 0; k < 7; k++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        float f = y > k ? m[y][k] / m[k][k] : 0.0f;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (y > k && x > k) m[y][x] = m[y][x] - f * m[k][x];
        if (y > k && x == k) m[y][k] = f;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    a[y * 8 + x] = m[y][x];
}
