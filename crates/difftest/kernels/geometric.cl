// dot, cross, length, distance, normalize.
// launch: block=32 grid=1
// ulp: 8
// arg: a=f32[128]:random(1,8)
// arg: b=f32[128]:random(1,8)
// arg: out=f32[512]
#pragma OPENCL FP_CONTRACT OFF

kernel void geometry(global const float *a, global const float *b, global float *out) {
    size_t i = get_global_id(0);
    float4 x = vload4(i, a), y = vload4(i, b);
    global float *o = out + 16 * i;
    o[0] = dot(x, y);
    o[1] = length(x);
    o[2] = dot(x.xy, y.zw);
    o[3] = length(y.xyz);
    vstore4(normalize(x), 1, o);
    o[8] = distance(x, -y);
    o[9] = dot(x.x, y.x);
    vstore4(cross((float4)(x.x, 0.0f, 0.0f, 0.0f), (float4)(0.0f, y.y, 0.0f, 0.0f)), 3, o);
    o[10] = fast_length((float2)(3.0f, 4.0f));
}
