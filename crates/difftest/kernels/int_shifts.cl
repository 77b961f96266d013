// Shifts of every width; OpenCL takes the count modulo the width.
// launch: block=64 grid=1
// arg: a=u64[64]:edges
// arg: n=u32[64]:random
// arg: out=u64[640]
#pragma OPENCL FP_CONTRACT OFF

kernel void shifts(global const ulong *a, global const uint *n, global ulong *out) {
    size_t i = get_global_id(0);
    global ulong *o = out + 10 * i;
    ulong v = a[i];
    uint c = n[i];
    o[0] = (uchar)v << (c & 7);
    o[1] = (uchar)v >> (c & 7);
    o[2] = (ulong)((char)v >> (c & 7));
    o[3] = (ushort)v << (c & 15);
    o[4] = (ulong)((short)v >> (c & 15));
    o[5] = (uint)v << c;
    o[6] = (uint)v >> c;
    o[7] = (ulong)(long)((int)v >> c);
    o[8] = v << c;
    o[9] = (ulong)((long)v >> c);
}
