// step, smoothstep, mix, sign, degrees, radians.
// launch: block=64 grid=1
// ulp: 4
// arg: a=f32[64]:random
// arg: b=f32[64]:random(0,1)
// arg: out=f32[384]
#pragma OPENCL FP_CONTRACT OFF

kernel void common(global const float *a, global const float *b, global float *out) {
    size_t i = get_global_id(0);
    float x = a[i], t = b[i];
    global float *o = out + 6 * i;
    o[0] = step(1.0f, x);
    o[1] = smoothstep(0.25f, 0.5f, t);
    o[2] = mix(2.0f, 2.0f + fabs(x), t);
    o[3] = sign(x);
    o[4] = degrees(x);
    o[5] = radians(x);
}
