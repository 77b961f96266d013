// One thread, one group: a sieve in private memory.
// launch: block=1 grid=1
// arg: out=i32[64]
#pragma OPENCL FP_CONTRACT OFF

kernel void sieve(global int *out) {
    uchar composite[320];
    for (int i = 0; i < 320; i++) composite[i] = 0;
    int n = 0;
    for (int p = 2; p < 320 && n < 64; p++) {
        if (composite[p]) continue;
        out[n++] = p;
        for (int q = p * p; q < 320; q += p) composite[q] = 1;
    }
}
