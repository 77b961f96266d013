// Every cast between integer widths.
// launch: block=64 grid=1
// arg: in=i64[64]:edges
// arg: out=i64[576]
#pragma OPENCL FP_CONTRACT OFF

kernel void casts(global const long *in, global long *out) {
    size_t i = get_global_id(0);
    long v = in[i] + (long)i;
    global long *o = out + 9 * i;
    o[0] = (char)v;
    o[1] = (uchar)v;
    o[2] = (short)v;
    o[3] = (ushort)v;
    o[4] = (int)v;
    o[5] = (uint)v;
    o[6] = (int)(char)(short)v;
    o[7] = (uint)(char)v;
    o[8] = (long)(ushort)(char)v;
}
