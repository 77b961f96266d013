// Operators on vectors of 2, 3, 4, 8 and 16 lanes.
// launch: block=16 grid=1
// arg: a=f32[256]:random
// arg: b=i32[256]:random
// arg: fout=f32[256]
// arg: iout=i32[256]
#pragma OPENCL FP_CONTRACT OFF

kernel void varith(global const float *a, global const int *b, global float *fout, global int *iout) {
    size_t i = get_global_id(0);
    float16 x = vload16(i, a);
    uint16 u = as_uint16(vload16(i, b));
    float8 y = x.lo * x.hi + 2.0f;
    float4 z = y.lo - y.hi / 3.0f;
    float2 w = z.xy * z.zw;
    float3 v = x.s012 + x.s345;
    float16 r = x;
    r.s01234567 = y;
    r.s89ab = z;
    r.scd = w;
    r.se = v.x + v.y * v.z;
    vstore16(r, i, fout);
    uint16 q = u * 3u + (u >> 5);
    q.odd ^= q.even;
    q.lo -= u.hi & 0xffff;
    vstore16(as_int16(q), i, iout);
}
