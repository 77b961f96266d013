// Bytes in, bytes out, with a wrap at the edges.
// launch: block=16,16 grid=2,2
// arg: in=u8[1024]:random(0,1)
// arg: out=u8[1024]
#pragma OPENCL FP_CONTRACT OFF

kernel void life(global const uchar *in, global uchar *out) {
    int x = (int)get_global_id(0), y = (int)get_global_id(1), n = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            if (dx || dy) n += in[((y + dy) & 31) * 32 + ((x + dx) & 31)];
    out[y * 32 + x] = n == 3 || (n == 2 && in[y * 32 + x]);
}
