// vload_half and vstore_half: conversion from and to 16-bit floats in memory.
// launch: block=64 grid=1
// arg: in=u16[64]:random(0,31743)
// arg: x=f32[64]:random
// arg: out=f32[64]
// arg: hout=u16[64]
#pragma OPENCL FP_CONTRACT OFF

kernel void halves(global const half *in, global const float *x, global float *out, global half *hout) {
    size_t i = get_global_id(0);
    out[i] = vload_half(i, in);
    vstore_half(x[i], i, hout);
}
