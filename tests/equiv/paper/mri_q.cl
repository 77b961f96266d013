// The arrays have as many elements as there are voxels; the launch has threads for a multiple of the group.
//
// reference: mri_q.c:mri_q
// launch: --block 4 --grid 2 --arg voxels=6 --arg samples=2 --arg x=f32[6]:symbolic --arg y=f32[6]:symbolic --arg z=f32[6]:symbolic --arg k=f32[8]:symbolic --arg qr=f32[6] --arg qi=f32[6]
// expect[mri_q_original]: out-of-bounds
// expect[mri_q]: equivalent
// expect[mri_q_degrees]: mismatch
__kernel void mri_q_original(__global float *qr, __global float *qi, __global const float *x, __global const float *y,
                             __global const float *z, __global const float4 *k, int samples) {
  int i = get_global_id(0);
  float px = x[i], py = y[i], pz = z[i], r = 0, j = 0;
  for (int s = 0; s < samples; s++) {
    float angle = 6.2831853071795864769252867665590058f * (k[s].x * px + k[s].y * py + k[s].z * pz);
    r += k[s].w * cos(angle);
    j += k[s].w * sin(angle);
  }
  qr[i] = r;
  qi[i] = j;
}

__kernel void mri_q(__global float *qr, __global float *qi, __global const float *x, __global const float *y,
                    __global const float *z, __global const float4 *k, int voxels, int samples) {
  int i = get_global_id(0);
  if (i < voxels) {
    float px = x[i], py = y[i], pz = z[i], r = 0, j = 0;
    for (int s = 0; s < samples; s++) {
      float angle = 6.2831853071795864769252867665590058f * (k[s].x * px + k[s].y * py + k[s].z * pz);
      r += k[s].w * cos(angle);
      j += k[s].w * sin(angle);
    }
    qr[i] = r;
    qi[i] = j;
  }
}

__kernel void mri_q_degrees(__global float *qr, __global float *qi, __global const float *x, __global const float *y,
                            __global const float *z, __global const float4 *k, int voxels, int samples) {
  int i = get_global_id(0);
  if (i < voxels) {
    float px = x[i], py = y[i], pz = z[i], r = 0, j = 0;
    for (int s = 0; s < samples; s++) {
      float angle = 360 * (k[s].x * px + k[s].y * py + k[s].z * pz);
      r += k[s].w * cos(angle);
      j += k[s].w * sin(angle);
    }
    qr[i] = r;
    qi[i] = j;
  }
}
