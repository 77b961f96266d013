// Branches within branches; every thread takes its own way.
// launch: block=64 grid=2
// arg: in=i32[128]:random(-50,50)
// arg: out=i32[128]
#pragma OPENCL FP_CONTRACT OFF

kernel void nested(global const int *in, global int *out) {
    int i = (int)get_global_id(0), v = in[i], r = 0;
    if (v > 0) {
        if (v % 2) {
            r = v * 3;
            if (i & 4) r -= 7;
            else if (i & 8) r += 11;
        } else {
            for (int k = 0; k < v; k++) {
                if (k % 3 == i % 3) continue;
                r += k;
            }
        }
    } else if (v < -20) {
        while (v < 0) {
            v += 7;
            if (v == -3) { r = 1000; break; }
            r++;
        }
    } else {
        r = v == 0 ? 42 : (v < -10 ? -1 : (i & 1 ? -2 : -3));
    }
    out[i] = r + v;
}
