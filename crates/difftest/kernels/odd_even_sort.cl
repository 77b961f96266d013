// An odd-even transposition sort of floats in global memory, within a group.
// launch: block=16 grid=2
// arg: data=f32[64]:random
#pragma OPENCL FP_CONTRACT OFF

kernel void oddeven(global float *data) {
    global float *d = data + 32 * get_group_id(0);
    uint l = get_local_id(0);
    for (uint phase = 0; phase < 32; phase++) {
        uint a = 2 * l + (phase & 1);
        if (a + 1 < 32) {
            float x = d[a], y = d[a + 1];
            if (x > y) {
                d[a] = y;
                d[a + 1] = x;
            }
        }
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
}
