// The Q matrix of a magnetic resonance image: for each voxel, a sum over the samples in k-space.
#include <math.h>

struct sample {
  float x, y, z, phi;
};

void mri_q(float *qr, float *qi, const float *x, const float *y, const float *z, const struct sample *k, int voxels,
           int samples) {
  for (int i = 0; i < voxels; i++) {
    float r = 0, j = 0;
    for (int s = 0; s < samples; s++) {
      float angle = 6.2831853071795864769252867665590058f * (k[s].x * x[i] + k[s].y * y[i] + k[s].z * z[i]);
      r += k[s].phi * cosf(angle);
      j += k[s].phi * sinf(angle);
    }
    qr[i] = r;
    qi[i] = j;
  }
}
