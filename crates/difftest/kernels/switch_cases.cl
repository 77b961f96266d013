// switch with gaps, fall-through, default in the middle, 64-bit values.
// launch: block=64 grid=1
// arg: in=i32[64]:random(-3,12)
// arg: out=i32[64]
#pragma OPENCL FP_CONTRACT OFF

kernel void switches(global const int *in, global int *out) {
    int i = (int)get_global_id(0), r = 0;
    switch (in[i]) {
    case 0: r = 1; break;
    case 1: r = 10;
    case 2: r += 5; break;
    default: r = -1; break;
    case 7:
    case 8: r = 78;
    case 9: r++; break;
    case -2: r = 222; break;
    }
    switch ((long)in[i] << 33) {
    case 3L << 33: r += 1000; break;
    case -1L << 33: r += 2000; break;
    }
    out[i] = r;
}
