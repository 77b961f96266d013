// Threads run differently long, and nobody waits for anybody.
// lockstep: run --block 16 --grid 2,4 --arg 'out=u8[128]'
kernel void mandelbrot(global uchar *out) {
    float x = get_global_id(0) / 12.0f - 2.0f, y = get_global_id(1) / 3.0f - 0.6f;
    float a = x, b = y;
    uchar i = 0;
    while (i < 50 && a * a + b * b < 4.0f) {
        float c = a * a - b * b + x;
        b = 2.0f * a * b + y;
        a = c;
        i++;
    }
    out[get_global_id(1) * 32 + get_global_id(0)] = i;
}
