// The vector FHd of a magnetic resonance image: added to what the arrays hold, which is zero at first.
#include <math.h>

struct sample {
  float x, y, z;
};

void mri_fhd(float *fr, float *fi, const float *x, const float *y, const float *z, const struct sample *k,
             const float *rho_r, const float *rho_i, int voxels, int samples) {
  for (int i = 0; i < voxels; i++)
    for (int s = 0; s < samples; s++) {
      float angle = 6.2831853071795864769252867665590058f * (k[s].x * x[i] + k[s].y * y[i] + k[s].z * z[i]);
      float c = cosf(angle), d = sinf(angle);
      fr[i] += rho_r[s] * c - rho_i[s] * d;
      fi[i] += rho_i[s] * c + rho_r[s] * d;
    }
}
