// A maximum of floats by compare-and-exchange in a loop.
// launch: block=32 grid=4
// arg: in=f32[128]:random
// arg: best=i32[1]:zeros
#pragma OPENCL FP_CONTRACT OFF

kernel void cas(global const float *in, volatile global int *best) {
    float v = fabs(in[get_global_id(0)]);
    int old = atomic_add(best, 0);
    while (as_float(old) < v) {
        int seen = atomic_cmpxchg(best, old, as_int(v));
        if (seen == old) break;
        old = seen;
    }
}
