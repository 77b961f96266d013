// The Coulombic potential of a row of grid points: the charge of each atom over its distance.
#include <math.h>

struct atom {
  float x, y, z, charge;
};

void cp(float *energy, const struct atom *atoms, int atom_count, int width, float spacing, float y, float z) {
  for (int i = 0; i < width; i++) {
    float x = spacing * i, sum = 0;
    for (int k = 0; k < atom_count; k++) {
      float dx = x - atoms[k].x, dy = y - atoms[k].y, dz = z - atoms[k].z;
      sum += atoms[k].charge / sqrtf(dx * dx + dy * dy + dz * dz);
    }
    energy[i] += sum;
  }
}
