// The Mandelbrot set: floating point decides control flow.
// launch: block=16,8 grid=2,4
// arg: out=i32[1024]
#pragma OPENCL FP_CONTRACT OFF

kernel void mandelbrot(global int *out) {
    uint x = get_global_id(0), y = get_global_id(1);
    float cr = -2.0f + 3.0f * (float)x / 32.0f, ci = -1.0f + 2.0f * (float)y / 32.0f;
    float r = 0.0f, i = 0.0f;
    int n = 0;
    for (; n < 100; n++) {
        float r2 = r * r, i2 = i * i;
        if (r2 + i2 > 4.0f) break;
        i = 2.0f * r * i + ci;
        r = r2 - i2 + cr;
    }
    out[y * 32 + x] = n;
}
