// reference: data.c:gravity
// launch: --block 4 --grid 1 --arg n=4 --arg softening=symbolic --arg position=f32[8]:symbolic --arg mass=f32[4]:symbolic --arg acceleration=f32[8]
// expect[gravity]: equivalent
// expect[gravity_tiled]: equivalent
// expect[gravity_first_power]: mismatch
__kernel void gravity(__global float2 *acceleration, __global const float2 *position, __global const float *mass,
                      float softening, int n) {
  int i = get_global_id(0);
  float2 a = 0;
  for (int j = 0; j < n; j++) {
    float2 d = position[j] - position[i];
    float r2 = d.x * d.x + d.y * d.y + softening;
    a += mass[j] / (r2 * sqrt(r2)) * d;
  }
  acceleration[i] = a;
}

__kernel void gravity_tiled(__global float2 *acceleration, __global const float2 *position, __global const float *mass,
                            float softening, int n) {
  __local float3 tile[2];
  int i = get_global_id(0), t = get_local_id(0);
  float2 a = 0, own = position[i];
  for (int at = 0; at < n; at += 2) {
    if (t < 2)
      tile[t] = (float3)(position[at + t], mass[at + t]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int j = 0; j < 2; j++) {
      float2 d = tile[j].xy - own;
      float r2 = dot(d, d) + softening;
      a += tile[j].z / (r2 * sqrt(r2)) * d;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  acceleration[i] = a;
}

__kernel void gravity_first_power(__global float2 *acceleration, __global const float2 *position,
                                  __global const float *mass, float softening, int n) {
  int i = get_global_id(0);
  float2 a = 0;
  for (int j = 0; j < n; j++) {
    float2 d = position[j] - position[i];
    float r2 = d.x * d.x + d.y * d.y + softening;
    a += mass[j] / r2 * d;
  }
  acceleration[i] = a;
}
