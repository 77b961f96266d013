// Vector conversions between element types.
// launch: block=16 grid=1
// arg: a=f32[64]:random(-300,300)
// arg: b=i16[64]:random
// arg: out=i32[256]
// arg: fout=f32[64]
#pragma OPENCL FP_CONTRACT OFF

kernel void vconv(global const float *a, global const short *b, global int *out, global float *fout) {
    size_t i = get_global_id(0);
    float4 x = vload4(i, a);
    short4 s = vload4(i, b);
    vstore4(convert_int4(x), 4 * i, out);
    vstore4(convert_int4(convert_uchar4_sat(x)), 4 * i + 1, out);
    vstore4(convert_int4_rte(x), 4 * i + 2, out);
    vstore4(convert_int4(convert_ushort4(s)), 4 * i + 3, out);
    vstore4(convert_float4(s) + convert_float4(convert_char4(s)), i, fout);
}
