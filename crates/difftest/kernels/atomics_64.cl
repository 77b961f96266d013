// 64-bit atomics of the extensions.
// launch: block=32 grid=2
// arg: in=i64[64]:random
// arg: out=i64[8]:zeros
#pragma OPENCL FP_CONTRACT OFF
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable

kernel void atomics(global const long *in, global long *out) {
    long v = in[get_global_id(0)];
    atom_add(&out[0], v);
    atom_sub(&out[1], v);
    atom_min(&out[2], v);
    atom_max(&out[3], v);
    atom_or(&out[4], v);
    atom_xor(&out[5], v);
    atom_inc(&out[6]);
    atom_cmpxchg(&out[7], 0L, 123456789012345L);
}
