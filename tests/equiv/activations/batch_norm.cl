// reference: norms.c:batch_norm
// launch: --block 4,3,1 --grid 1,1,2 --arg batch=2 --arg channels=3 --arg size=4 --arg x=f32[24]:symbolic --arg mean=f32[3]:symbolic --arg variance=f32[3]:symbolic --arg out=f32[24]
// expect[batch_norm]: equivalent
// expect[batch_norm_of_batch]: mismatch
__kernel void batch_norm(__global float *out, __global const float *x, __global const float *mean,
                         __global const float *variance, int channels, int size) {
  int i = get_global_id(0), c = get_global_id(1), b = get_global_id(2), at = (b * channels + c) * size + i;
  out[at] = (x[at] - mean[c]) / sqrt(variance[c] + 1e-5f);
}

// Statistics of the wrong axis.
__kernel void batch_norm_of_batch(__global float *out, __global const float *x, __global const float *mean,
                                  __global const float *variance, int channels, int size) {
  int i = get_global_id(0), c = get_global_id(1), b = get_global_id(2), at = (b * channels + c) * size + i;
  out[at] = (x[at] - mean[b]) / sqrt(variance[b] + 1e-5f);
}
