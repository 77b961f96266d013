// Single precision at infinities, zeros, denormals and NaN.
// launch: block=27 grid=27
// arg: v=f32[27]:edges
// arg: out=f32[3645]
#pragma OPENCL FP_CONTRACT OFF

kernel void fedges(global const float *v, global float *out) {
    float x = v[get_local_id(0)], y = v[get_group_id(0)];
    global float *o = out + 5 * get_global_id(0);
    o[0] = x + y;
    o[1] = x - y;
    o[2] = x * y;
    o[3] = x / y;
    o[4] = fabs(x) - fabs(y);
}
