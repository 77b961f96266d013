// A table that is read where the input says.
//
// reference: data.c:days_of_month
// launch: --block 4 --grid 1 --arg n=4 --arg month=i32[4]:symbolic --arg leap=i32[4]:symbolic --arg out=i32[4]
// expect[days]: equivalent
// expect[days_of_knuckles]: equivalent
// expect[days_from_one]: mismatch
__constant uchar days_of[12] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

__kernel void days(__global int *out, __global const int *month, __global const int *leap) {
  int i = get_global_id(0), m = month[i] & 15;
  out[i] = m >= 12 ? 0 : m == 1 && leap[i] ? 29 : days_of[m];
}

__kernel void days_of_knuckles(__global int *out, __global const int *month, __global const int *leap) {
  int i = get_global_id(0), m = month[i] & 15;
  int d = 31 - (m > 6 ? m - 7 : m) % 2;
  out[i] = m >= 12 ? 0 : m == 1 ? 28 + (leap[i] != 0) : d;
}

// January is month one.
__kernel void days_from_one(__global int *out, __global const int *month, __global const int *leap) {
  int i = get_global_id(0), m = month[i] & 15;
  out[i] = m == 0 || m > 12 ? 0 : m == 2 && leap[i] ? 29 : days_of[m - 1];
}
