// reference: mri_fhd.c:mri_fhd
// launch: --block 4 --grid 2 --arg voxels=6 --arg samples=2 --arg x=f32[6]:symbolic --arg y=f32[6]:symbolic --arg z=f32[6]:symbolic --arg k=f32[6]:symbolic --arg rho_r=f32[2]:symbolic --arg rho_i=f32[2]:symbolic --arg fr=f32[6]:zeros --arg fi=f32[6]:zeros
// expect[mri_fhd_original]: out-of-bounds
// expect[mri_fhd]: equivalent
// expect[mri_fhd_swapped]: mismatch
__kernel void mri_fhd_original(__global float *fr, __global float *fi, __global const float *x, __global const float *y,
                               __global const float *z, __global const float *k, __global const float *rho_r,
                               __global const float *rho_i, int samples) {
  int i = get_global_id(0);
  float px = x[i], py = y[i], pz = z[i], r = fr[i], j = fi[i];
  for (int s = 0; s < samples; s++) {
    float angle = 6.2831853071795864769252867665590058f * (k[3 * s] * px + k[3 * s + 1] * py + k[3 * s + 2] * pz);
    float c = cos(angle), d = sin(angle);
    r += rho_r[s] * c - rho_i[s] * d;
    j += rho_i[s] * c + rho_r[s] * d;
  }
  fr[i] = r;
  fi[i] = j;
}

__kernel void mri_fhd(__global float *fr, __global float *fi, __global const float *x, __global const float *y,
                      __global const float *z, __global const float *k, __global const float *rho_r,
                      __global const float *rho_i, int voxels, int samples) {
  int i = get_global_id(0);
  if (i >= voxels)
    return;
  float px = x[i], py = y[i], pz = z[i], r = fr[i], j = fi[i];
  for (int s = 0; s < samples; s++) {
    float angle = 6.2831853071795864769252867665590058f * (k[3 * s] * px + k[3 * s + 1] * py + k[3 * s + 2] * pz);
    float c = cos(angle), d = sin(angle);
    r += rho_r[s] * c - rho_i[s] * d;
    j += rho_i[s] * c + rho_r[s] * d;
  }
  fr[i] = r;
  fi[i] = j;
}

// The sign of the imaginary part.
__kernel void mri_fhd_swapped(__global float *fr, __global float *fi, __global const float *x, __global const float *y,
                              __global const float *z, __global const float *k, __global const float *rho_r,
                              __global const float *rho_i, int voxels, int samples) {
  int i = get_global_id(0);
  if (i >= voxels)
    return;
  float px = x[i], py = y[i], pz = z[i], r = fr[i], j = fi[i];
  for (int s = 0; s < samples; s++) {
    float angle = 6.2831853071795864769252867665590058f * (k[3 * s] * px + k[3 * s + 1] * py + k[3 * s + 2] * pz);
    float c = cos(angle), d = sin(angle);
    r += rho_r[s] * c + rho_i[s] * d;
    j += rho_i[s] * c - rho_r[s] * d;
  }
  fr[i] = r;
  fi[i] = j;
}
