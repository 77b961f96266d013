// fmin, fmax, fdim, maxmag, minmag, clamp, with NaN as the other argument.
// launch: block=64 grid=1
// arg: a=f32[64]:random
// arg: b=f32[64]:random
// arg: out=f32[576]
#pragma OPENCL FP_CONTRACT OFF

kernel void minmax(global const float *a, global const float *b, global float *out) {
    size_t i = get_global_id(0);
    float x = a[i], y = b[i];
    global float *o = out + 9 * i;
    o[0] = fmin(x, y);
    o[1] = fmax(x, y);
    o[2] = fmin(x, NAN);
    o[3] = fmax(NAN, y);
    o[4] = fdim(x, y);
    o[5] = maxmag(x, y);
    o[6] = minmag(x, y);
    o[7] = clamp(x, -2.0f, 3.5f);
    o[8] = min(x, y) - max(x, y);
}
