// A bitonic sort of each group's part.
// launch: block=64 grid=2
// arg: data=i32[256]:random
#pragma OPENCL FP_CONTRACT OFF

kernel void bitonic(global int *data) {
    local int t[128];
    uint l = get_local_id(0), base = 128 * get_group_id(0);
    t[l] = data[base + l];
    t[l + 64] = data[base + l + 64];
    for (uint size = 2; size <= 128; size *= 2) {
        for (uint stride = size / 2; stride > 0; stride /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            uint a = 2 * l - (l & (stride - 1)), b = a + stride;
            int up = (a & size) == 0, va = t[a], vb = t[b];
            if ((va > vb) == up) {
                t[a] = vb;
                t[b] = va;
            }
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    data[base + l] = t[l];
    data[base + l + 64] = t[l + 64];
}
