// shuffle and shuffle2 with masks from memory.
// launch: block=16 grid=1
// arg: a=i32[128]:random
// arg: m=u32[64]:random
// arg: out=i32[192]
#pragma OPENCL FP_CONTRACT OFF

kernel void shuffles(global const int *a, global const uint *m, global int *out) {
    size_t i = get_global_id(0);
    int4 x = vload4(2 * i, a), y = vload4(2 * i + 1, a);
    uint4 mask = vload4(i, m);
    vstore4(shuffle(x, mask & 3u), 3 * i, out);
    vstore4(shuffle2(x, y, mask & 7u), 3 * i + 1, out);
    vstore4(shuffle(vload8(i, a), (mask >> 8) & 7u), 3 * i + 2, out);
}
