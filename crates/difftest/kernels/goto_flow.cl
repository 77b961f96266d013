// goto forwards, backwards and out of loops.
// launch: block=64 grid=1
// arg: in=u32[64]:random
// arg: out=u32[64]
#pragma OPENCL FP_CONTRACT OFF

kernel void gotos(global const uint *in, global uint *out) {
    size_t i = get_global_id(0);
    uint v = in[i] % 1000, n = 0;
again:
    n++;
    if (v % 2 == 0 && v) {
        v /= 2;
        goto again;
    }
    for (uint a = 0; a < 10; a++)
        for (uint b = 0; b < 10; b++)
            if (a * b + i == v) {
                n += 100 * a + b;
                goto done;
            }
    n += 5000;
done:
    out[i] = n * 1000 + v;
}
