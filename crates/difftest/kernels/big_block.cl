// The largest common block, 1,024 threads in three dimensions.
// launch: block=16,16,4 grid=1
// arg: in=i32[1024]:random
// arg: out=i32[1024]
#pragma OPENCL FP_CONTRACT OFF

kernel void big(global const int *in, global int *out) {
    local int t[4][16][16];
    uint x = get_local_id(0), y = get_local_id(1), z = get_local_id(2), i = x + 16 * (y + 16 * z);
    t[z][y][x] = in[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = t[3 - z][x][y];
}
