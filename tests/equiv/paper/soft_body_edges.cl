// Edges of one colour have no vertex in common; a launch is for one colour.
//
// reference: soft_body.cpp:edges
// launch: --block 3 --grid 1 --arg count=3 --arg stiffness=symbolic --arg ends=i32[6]:0,1,4,2,3,5 --arg position=f32[24]:symbolic --arg rest=f32[3]:symbolic --arg inverse_mass=f32[6]:symbolic
// expect[edges]: equivalent
// expect[edges_one_sided]: mismatch
__kernel void edges(__global float4 *position, __global const int2 *ends, __global const float *rest,
                    __global const float *inverse_mass, float stiffness, int count) {
  int e = get_global_id(0);
  if (e >= count)
    return;
  int a = ends[e].x, b = ends[e].y;
  float4 d = position[b] - position[a];
  float length2 = dot(d.xyz, d.xyz), k = (rest[e] - length2) / ((inverse_mass[a] + inverse_mass[b]) * (rest[e] + length2));
  position[a] -= d * (inverse_mass[a] * k * stiffness);
  position[b] += d * (inverse_mass[b] * k * stiffness);
}

__kernel void edges_one_sided(__global float4 *position, __global const int2 *ends, __global const float *rest,
                              __global const float *inverse_mass, float stiffness, int count) {
  int e = get_global_id(0);
  if (e >= count)
    return;
  int a = ends[e].x, b = ends[e].y;
  float4 d = position[b] - position[a];
  float length2 = dot(d.xyz, d.xyz), k = (rest[e] - length2) / ((inverse_mass[a] + inverse_mass[b]) * (rest[e] + length2));
  position[a] -= d * (inverse_mass[a] * k * stiffness);
  position[b] += d * (inverse_mass[a] * k * stiffness);
}
