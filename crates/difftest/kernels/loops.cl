// for, while, do, nested, with break and continue, trip counts that differ by thread.
// launch: block=64 grid=1
// arg: in=u32[64]:random
// arg: out=u32[64]
#pragma OPENCL FP_CONTRACT OFF

kernel void loops(global const uint *in, global uint *out) {
    size_t i = get_global_id(0);
    uint n = in[i] % 20, s = 1;
    for (uint k = 0; k < n; k++) s = s * 31 + k;
    uint m = in[i] >> 16;
    while (m > 1) {
        m = (m & 1) ? 3 * m + 1 : m / 2;
        s++;
        if (s % 97 == 0) break;
        if (m > 100000) break;
    }
    do {
        s ^= s << 3;
        n /= 2;
    } while (n);
    for (int a = 0; a < 5; a++) {
        for (int b = a; b < 8; b += 2) {
            if ((a + b + i) % 3 == 0) continue;
            if (b * a > (int)(i % 16)) break;
            s += a * b;
        }
    }
    out[i] = s;
}
