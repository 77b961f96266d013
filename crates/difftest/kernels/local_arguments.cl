// Two local arguments of different types, and a static local array beside them.
// launch: block=16 grid=3
// arg: in=i32[48]:random
// arg: ti=local i32[16]
// arg: tf=local f32[32]
// arg: out=f32[48]
#pragma OPENCL FP_CONTRACT OFF

kernel void locals(global const int *in, local int *ti, local float *tf, global float *out) {
    local short ts[16];
    uint l = get_local_id(0);
    ti[l] = in[get_global_id(0)] % 1000;
    tf[l] = (float)l / 3.0f;
    tf[16 + l] = 2.0f;
    ts[15 - l] = (short)l;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint o = (l + 5) % 16;
    out[get_global_id(0)] = (float)ti[o] * tf[o] + tf[16 + (l ^ 3)] * (float)ts[o];
}
