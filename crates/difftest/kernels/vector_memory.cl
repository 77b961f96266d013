// vload and vstore of all lengths at odd offsets, and vectors in memory.
// launch: block=16 grid=1
// arg: in=i16[512]:random
// arg: out=i16[512]
// arg: vec=f32[64]:iota
#pragma OPENCL FP_CONTRACT OFF

kernel void vmem(global const short *in, global short *out, global float4 *vec) {
    size_t i = get_global_id(0);
    global const short *p = in + 32 * i;
    global short *q = out + 32 * i;
    vstore2(vload2(0, p + 1), 0, q + 3);
    vstore3(vload3(1, p), 2, q);
    vstore4(vload4(2, p + 1) * (short)3, 2, q + 2);
    vstore8(vload8(1, p + 3), 2, q);
    vec[i] = vec[i].wzyx * 2.0f;
    vec[i].y = (float)i;
}
