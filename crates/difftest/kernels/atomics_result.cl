// What atomics return, each thread on a counter of its own.
// launch: block=32 grid=1
// arg: data=i32[352]:random
// arg: out=i32[352]
#pragma OPENCL FP_CONTRACT OFF

kernel void results(global int *data, global int *out) {
    int i = (int)get_global_id(0);
    volatile global int *d = data + 11 * i;
    global int *o = out + 11 * i;
    o[0] = atomic_add(&d[0], i);
    o[1] = atomic_sub(&d[1], i);
    o[2] = atomic_inc(&d[2]);
    o[3] = atomic_dec(&d[3]);
    o[4] = atomic_min(&d[4], i);
    o[5] = atomic_max(&d[5], i);
    o[6] = atomic_and(&d[6], ~i);
    o[7] = atomic_or(&d[7], i);
    o[8] = atomic_xor(&d[8], i);
    o[9] = atomic_xchg(&d[9], i);
    o[10] = atomic_cmpxchg(&d[10], i % 2 ? d[10] : 0, i) + (int)atomic_xchg((global float *)&d[9], 1.5f);
}
