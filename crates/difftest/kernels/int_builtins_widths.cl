// Integer builtins on 8, 16 and 64 bits.
// launch: block=64 grid=1
// arg: a=i64[64]:edges
// arg: b=i64[64]:random
// arg: out=u64[1600]
#pragma OPENCL FP_CONTRACT OFF

kernel void builtins(global const long *a, global const long *b, global ulong *out) {
    size_t i = get_global_id(0);
    long x = a[i], y = b[i];
    char cx = (char)x, cy = (char)y;
    uchar ux = (uchar)x, uy = (uchar)y;
    short sx = (short)x, sy = (short)y;
    ushort wx = (ushort)x, wy = (ushort)y;
    global ulong *o = out + 25 * i;
    o[0] = abs(cx);
    o[1] = abs_diff(cx, cy);
    o[2] = (ulong)add_sat(cx, cy);
    o[3] = add_sat(ux, uy);
    o[4] = (ulong)sub_sat(cx, cy);
    o[5] = (ulong)hadd(cx, cy);
    o[6] = rhadd(ux, uy);
    o[7] = clz(ux);
    o[8] = popcount(ux);
    o[9] = rotate(ux, uy);
    o[10] = (ulong)mul_hi(sx, sy);
    o[11] = mul_hi(wx, wy);
    o[12] = (ulong)add_sat(sx, sy);
    o[13] = sub_sat(wx, wy);
    o[14] = clz(wx);
    o[15] = abs_diff(sx, sy);
    o[16] = abs(x);
    o[17] = abs_diff(x, y);
    o[18] = (ulong)add_sat(x, y);
    o[19] = sub_sat((ulong)x, (ulong)y);
    o[20] = (ulong)hadd(x, y);
    o[21] = mul_hi((ulong)x, (ulong)y);
    o[22] = (ulong)mul_hi(x, y);
    o[23] = rotate((ulong)x, (ulong)y);
    o[24] = clz((ulong)x) + 100 * popcount((ulong)y);
}
