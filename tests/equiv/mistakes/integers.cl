// Built-in functions of OpenCL on integers, and vectors.
//
// launch: --block 4 --grid 1
// reference[dist]: integers.c:distance_
// launch[dist]: --arg n=4 --arg a=i32[4]:symbolic --arg b=i32[4]:symbolic --arg out=u32[4]
// expect[dist]: equivalent
// reference[dist_w]: integers.c:distance_
// launch[dist_w]: --arg n=4 --arg a=i32[4]:symbolic --arg b=i32[4]:symbolic --arg out=u32[4]
// expect[dist_w]: mismatch
// reference[avg]: integers.c:average
// launch[avg]: --arg n=4 --arg a=u32[4]:symbolic --arg b=u32[4]:symbolic --arg out=u32[4]
// expect[avg]: equivalent
// reference[avg_w]: integers.c:average
// launch[avg_w]: --arg n=4 --arg a=u32[4]:symbolic --arg b=u32[4]:symbolic --arg out=u32[4]
// expect[avg_w]: mismatch
// reference[sat]: integers.c:add_sat
// launch[sat]: --arg n=4 --arg a=u8[4]:symbolic --arg b=u8[4]:symbolic --arg out=u8[4]
// expect[sat]: equivalent
// reference[sat4]: integers.c:add_sat
// launch[sat4]: --arg n=4 --arg a=u8[4]:symbolic --arg b=u8[4]:symbolic --arg out=u8[4] --block 1
// expect[sat4]: equivalent
// reference[less]: integers.c:less
// launch[less]: --arg n=4 --arg a=i32[4]:symbolic --arg b=i32[4]:symbolic --arg out=i32[4]
// expect[less]: equivalent
// reference[less_w]: integers.c:less
// launch[less_w]: --arg n=4 --arg a=i32[4]:symbolic --arg b=i32[4]:symbolic --arg out=i32[4] --block 1
// expect[less_w]: mismatch
// reference[less_v]: integers.c:less
// launch[less_v]: --arg n=4 --arg a=i32[4]:symbolic --arg b=i32[4]:symbolic --arg out=i32[4] --block 1
// expect[less_v]: equivalent
// reference[sel]: integers.c:select_
// launch[sel]: --arg n=4 --arg a=i32[4]:symbolic --arg b=i32[4]:symbolic --arg c=i32[4]:symbolic --arg out=i32[4]
// expect[sel]: equivalent
// reference[sel_w]: integers.c:select_
// launch[sel_w]: --arg n=4 --arg a=i32[4]:symbolic --arg b=i32[4]:symbolic --arg c=i32[4]:symbolic --arg out=i32[4]
// expect[sel_w]: mismatch
// reference[sel_v]: integers.c:select_
// launch[sel_v]: --arg n=4 --arg a=i32[4]:symbolic --arg b=i32[4]:symbolic --arg c=i32[4]:symbolic --arg out=i32[4] --block 1
// expect[sel_v]: mismatch
// reference[rot]: integers.c:rot
// launch[rot]: --arg n=4 --arg x=u32[4]:symbolic --arg k=symbolic --arg out=u32[4]
// expect[rot]: equivalent
// reference[clz_]: integers.c:leading
// launch[clz_]: --arg n=4 --arg a=u32[4]:symbolic --arg out=i32[4]
// expect[clz_]: equivalent
// reference[mh]: integers.c:high
// launch[mh]: --arg n=4 --arg a=i32[4]:symbolic --arg b=i32[4]:symbolic --arg out=i32[4]
// expect[mh]: equivalent
// reference[clamp_]: integers.c:clamp_
// launch[clamp_]: --arg n=4 --arg x=i32[4]:symbolic --arg lo=-5 --arg hi=9 --arg out=i32[4]
// expect[clamp_]: equivalent
// reference[clamp_w]: integers.c:clamp_
// launch[clamp_w]: --arg n=4 --arg x=i32[4]:symbolic --arg lo=-5 --arg hi=9 --arg out=i32[4]
// expect[clamp_w]: mismatch
// reference[prefix_w]: integers.c:prefix_diff
// launch[prefix_w]: --arg n=4 --arg x=i32[4]:symbolic --arg out=i32[4]
// expect[prefix_w]: out-of-bounds
// reference[par]: integers.c:parity
// launch[par]: --arg n=4 --arg x=u32[4]:symbolic --arg out=u32[4]
// expect[par]: equivalent
// reference[dist24]: integers.c:distribute
// launch[dist24]: --arg n=4 --arg a=i32[4]:symbolic --arg b=i32[4]:symbolic --arg c=i32[4]:symbolic --arg out=i32[4]
// expect[dist24]: mismatch
// reference[mis]: integers.c:long_sum
// launch[mis]: --arg n=4 --arg x=i32[4]:symbolic --arg out=i64[1]
// expect[mis]: misaligned
// reference[uninit]: integers.c:long_sum
// launch[uninit]: --arg n=4 --arg x=i32[4]:symbolic --arg out=i64[1]
// expect[uninit]: equivalent
__kernel void dist(__global uint *out, __global const int *a, __global const int *b) {
  int i = get_global_id(0);
  out[i] = abs_diff(a[i], b[i]);
}

__kernel void dist_w(__global uint *out, __global const int *a, __global const int *b) {
  int i = get_global_id(0);
  out[i] = abs(a[i] - b[i]);
}

__kernel void avg(__global uint *out, __global const uint *a, __global const uint *b) {
  int i = get_global_id(0);
  out[i] = hadd(a[i], b[i]);
}

__kernel void avg_w(__global uint *out, __global const uint *a, __global const uint *b) {
  int i = get_global_id(0);
  out[i] = rhadd(a[i], b[i]);
}

__kernel void sat(__global uchar *out, __global const uchar *a, __global const uchar *b) {
  int i = get_global_id(0);
  out[i] = add_sat(a[i], b[i]);
}

__kernel void sat4(__global uchar4 *out, __global const uchar4 *a, __global const uchar4 *b) {
  out[0] = add_sat(a[0], b[0]);
}

__kernel void less(__global int *out, __global const int *a, __global const int *b) {
  int i = get_global_id(0);
  out[i] = a[i] < b[i];
}

__kernel void less_w(__global int4 *out, __global const int4 *a, __global const int4 *b) {
  out[0] = a[0] < b[0];
}

__kernel void less_v(__global int4 *out, __global const int4 *a, __global const int4 *b) {
  out[0] = -(a[0] < b[0]);
}

__kernel void sel(__global int *out, __global const int *a, __global const int *b, __global const int *c) {
  int i = get_global_id(0);
  out[i] = select(b[i], a[i], c[i]);
}

__kernel void sel_w(__global int *out, __global const int *a, __global const int *b, __global const int *c) {
  int i = get_global_id(0);
  out[i] = select(a[i], b[i], c[i]);
}

__kernel void sel_v(__global int4 *out, __global const int4 *a, __global const int4 *b, __global const int4 *c) {
  out[0] = select(b[0], a[0], c[0]);
}

__kernel void rot(__global uint *out, __global const uint *x, uint k) {
  int i = get_global_id(0);
  out[i] = rotate(x[i], k);
}

__kernel void clz_(__global int *out, __global const uint *a) {
  int i = get_global_id(0);
  out[i] = clz(a[i]);
}

__kernel void mh(__global int *out, __global const int *a, __global const int *b) {
  int i = get_global_id(0);
  out[i] = mul_hi(a[i], b[i]);
}

__kernel void clamp_(__global int *out, __global const int *x, int lo, int hi) {
  int i = get_global_id(0);
  out[i] = clamp(x[i], lo, hi);
}

__kernel void clamp_w(__global int *out, __global const int *x, int lo, int hi) {
  int i = get_global_id(0);
  out[i] = clamp(lo, hi, x[i]);
}

__kernel void prefix_w(__global int *out, __global const int *x) {
  size_t i = get_global_id(0);
  out[i] = i - 1 >= 0 ? x[i] - x[i - 1] : x[i];
}

__kernel void par(__global uint *out, __global const uint *x) {
  int i = get_global_id(0);
  out[i] = popcount(x[i]) % 2;
}

__kernel void dist24(__global int *out, __global const int *a, __global const int *b, __global const int *c) {
  int i = get_global_id(0);
  out[i] = mad24(a[i], c[i], b[i] * c[i]);
}

__kernel void mis(__global long *out, __global const int *x) {
  if (get_global_id(0) == 0) {
    __global const long *p = (__global const long *)(x + 1);
    *out = (long)x[0] + (int)p[0] + (p[0] >> 32) + x[3];
  }
}

__kernel void uninit(__global long *out, __global const int *x) {
  __local long s[8];
  int i = get_local_id(0);
  s[i] = x[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (i == 0) {
    long t = 0;
    for (int k = 0; k < 8; k++) t += k < 4 ? s[k] : s[k] * 0;
    *out = t;
  }
}
