// Scalar arguments of every type.
// launch: block=4 grid=1
// arg: c=i8 -100
// arg: uc=u8 200
// arg: s=i16 -30000
// arg: us=u16 60000
// arg: i=i32 -2000000000
// arg: u=u32 4000000000
// arg: l=i64 -9000000000000000000
// arg: ul=u64 18000000000000000000
// arg: f=f32 0.1
// arg: d=f64 0.1
// arg: out=i64[32]
// arg: fout=f64[8]
#pragma OPENCL FP_CONTRACT OFF
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

kernel void scalars(char c, uchar uc, short s, ushort us, int i, uint u, long l, ulong ul, float f, double d,
                    global long *out, global double *fout) {
    size_t g = get_global_id(0);
    global long *o = out + 8 * g;
    o[0] = c;
    o[1] = uc;
    o[2] = s;
    o[3] = us;
    o[4] = i;
    o[5] = u;
    o[6] = l;
    o[7] = (long)ul;
    fout[2 * g] = f;
    fout[2 * g + 1] = d;
}
