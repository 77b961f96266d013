// Every 32-bit atomic on global memory, in ways whose result has one order only.
// launch: block=64 grid=2
// arg: in=i32[128]:random
// arg: out=i32[12]:ones
// arg: uout=u32[4]:ones
#pragma OPENCL FP_CONTRACT OFF

kernel void atomics(global const int *in, global int *out, global uint *uout) {
    size_t i = get_global_id(0);
    int v = in[i];
    atomic_add(&out[0], v);
    atomic_sub(&out[1], v);
    atomic_inc(&out[2]);
    atomic_dec(&out[3]);
    atomic_min(&out[4], v);
    atomic_max(&out[5], v);
    atomic_and(&out[6], v | 1);
    atomic_or(&out[7], v);
    atomic_xor(&out[8], v);
    atomic_xchg(&out[9], 77);
    atomic_cmpxchg(&out[10], 1, 55);
    atomic_min(&uout[0], (uint)v);
    atomic_max(&uout[1], (uint)v);
    atomic_add(&uout[2], (uint)v);
}
