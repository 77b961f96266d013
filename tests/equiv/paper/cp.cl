// The two mismatches of the paper's cp, and one of them mended. A thread computes two neighbouring points.
//
// reference: cp.c:cp
// launch: --block 4 --grid 1 --arg atom_count=2 --arg width=8 --arg spacing=symbolic --arg y=symbolic --arg z=symbolic --arg atoms=f32[8]:symbolic --arg energy=f32[8]:symbolic
// expect[cp_original]: mismatch
// expect[cp_original]: mismatch under associative by rounding
// expect[cp_distances]: equivalent under associative
// expect[cp_exact]: equivalent
__kernel void cp_original(__global float *energy, __global const float4 *atoms, int atom_count, float spacing, float y,
                          float z) {
  int i = 2 * get_global_id(0);
  float x = spacing * i, e0 = 0, e1 = 0;
  for (int k = 0; k < atom_count; k++) {
    float dy = y - atoms[k].y, dz = z - atoms[k].z;
    float dyz2 = dy * dy + dz * dz; // the first: bracketed otherwise
    float dx0 = x - atoms[k].x;
    float dx1 = dx0 + spacing; // the second: not from the point itself
    e0 += atoms[k].w / sqrt(dx0 * dx0 + dyz2);
    e1 += atoms[k].w / sqrt(dx1 * dx1 + dyz2);
  }
  energy[i] += e0;
  energy[i + 1] += e1;
}

__kernel void cp_distances(__global float *energy, __global const float4 *atoms, int atom_count, float spacing,
                           float y, float z) {
  int i = 2 * get_global_id(0);
  float x0 = spacing * i, x1 = spacing * (i + 1), e0 = 0, e1 = 0;
  for (int k = 0; k < atom_count; k++) {
    float dy = y - atoms[k].y, dz = z - atoms[k].z;
    float dyz2 = dy * dy + dz * dz;
    float dx0 = x0 - atoms[k].x, dx1 = x1 - atoms[k].x;
    e0 += atoms[k].w / sqrt(dx0 * dx0 + dyz2);
    e1 += atoms[k].w / sqrt(dx1 * dx1 + dyz2);
  }
  energy[i] += e0;
  energy[i + 1] += e1;
}

__kernel void cp_exact(__global float *energy, __global const float4 *atoms, int atom_count, float spacing, float y,
                       float z) {
  int i = 2 * get_global_id(0);
  float x0 = spacing * i, x1 = spacing * (i + 1), e0 = 0, e1 = 0;
  for (int k = 0; k < atom_count; k++) {
    float dy = y - atoms[k].y, dz = z - atoms[k].z;
    float dx0 = x0 - atoms[k].x, dx1 = x1 - atoms[k].x;
    e0 += atoms[k].w / sqrt(dx0 * dx0 + dy * dy + dz * dz);
    e1 += atoms[k].w / sqrt(dx1 * dx1 + dy * dy + dz * dz);
  }
  energy[i] += e0;
  energy[i + 1] += e1;
}
