// as_int and friends, sign handling, nextafter, ilogb, ldexp, frexp.
// launch: block=64 grid=1
// arg: a=f32[64]:random
// arg: b=i32[64]:random(-40,40)
// arg: out=i32[640]
#pragma OPENCL FP_CONTRACT OFF

kernel void fbits(global const float *a, global const int *b, global int *out) {
    size_t i = get_global_id(0);
    float x = a[i];
    global int *o = out + 10 * i;
    int e;
    o[0] = as_int(x);
    o[1] = as_int(copysign(x, (float)b[i]));
    o[2] = as_int(ldexp(x, b[i]));
    o[3] = as_int(frexp(x, &e));
    o[4] = e;
    o[5] = ilogb(x);
    o[6] = as_int(nextafter(x, 100.0f));
    o[7] = as_int(logb(x));
    o[8] = signbit(x);
    o[9] = as_uchar4(x).z * 256 + as_short2(x).y;
}
