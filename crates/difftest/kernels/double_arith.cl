// Double precision: operations and comparisons at edge values.
// launch: block=27 grid=27
// arg: v=f64[27]:edges
// arg: out=f64[3645]
#pragma OPENCL FP_CONTRACT OFF
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

kernel void darith(global const double *v, global double *out) {
    double x = v[get_local_id(0)], y = v[get_group_id(0)];
    global double *o = out + 5 * get_global_id(0);
    o[0] = x + y;
    o[1] = x - y;
    o[2] = x * y;
    o[3] = x / y;
    o[4] = (x < y) + 2 * (x == y) + 4 * (x != y) + 8 * (x >= y);
}
