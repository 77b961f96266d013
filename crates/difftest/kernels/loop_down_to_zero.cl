// Counting down, unsigned wrap at the end, and a loop that never runs.
// launch: block=32 grid=1
// arg: out=i32[32]
#pragma OPENCL FP_CONTRACT OFF

kernel void down(global int *out) {
    int i = (int)get_global_id(0), s = 0;
    for (int k = i; k >= 0; k--) s += k;
    for (uint u = i; u-- > 0;) s -= (int)(u / 2);
    for (int z = 5; z < 5; z++) s = -1;
    for (;;) {
        if (s % 7 == 3) break;
        s++;
    }
    out[i] = s;
}
