// floor, ceil, trunc, rint, round, fract, modf, fmod, at halves and edges.
// launch: block=64 grid=1
// arg: a=f32[64]:edges
// arg: b=f32[64]:random
// arg: out=f32[832]
#pragma OPENCL FP_CONTRACT OFF

kernel void rounding(global const float *a, global const float *b, global float *out) {
    size_t i = get_global_id(0);
    float x = a[i], y = b[i];
    global float *o = out + 13 * i;
    o[0] = floor(x);
    o[1] = ceil(x);
    o[2] = trunc(x);
    o[3] = rint(x);
    o[4] = round(x);
    o[5] = floor(y);
    o[6] = ceil(y);
    o[7] = rint(y);
    o[8] = round(y);
    float whole;
    o[9] = modf(y, &whole);
    o[10] = whole;
    o[11] = fract(y, &whole);
    o[12] = whole;
}
