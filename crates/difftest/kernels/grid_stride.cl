// Many groups, a grid-stride loop, and a last group that has less to do.
// launch: block=32 grid=16
// arg: in=f32[2000]:random
// arg: out=f32[2000]
// arg: n=i32 2000
// arg: a=f32 1.25
#pragma OPENCL FP_CONTRACT OFF

kernel void saxpy(global const float *in, global float *out, int n, float a) {
    for (int i = (int)get_global_id(0); i < n; i += (int)get_global_size(0)) out[i] = a * in[i] + out[i];
}
