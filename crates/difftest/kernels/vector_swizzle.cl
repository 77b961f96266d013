// Swizzles on both sides, hi, lo, odd, even, and constructors.
// launch: block=32 grid=1
// arg: in=i32[256]:iota
// arg: out=i32[256]
#pragma OPENCL FP_CONTRACT OFF

kernel void swizzle(global const int *in, global int *out) {
    size_t i = get_global_id(0);
    int8 v = vload8(i, in);
    int4 a = v.s7531;
    int4 b = v.even;
    a.xw = b.yz;
    b.s3 = a.x * 2;
    int8 r = (int8)(a.wzyx, b.hi, v.lo.y, v.hi.odd.x);
    r.s07 += r.s70;
    vstore8(r, i, out);
}
