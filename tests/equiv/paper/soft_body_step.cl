// reference: soft_body.cpp:step
// launch: --block 3 --grid 2 --arg vertices=6 --arg dt=symbolic --arg position=f32[24]:symbolic --arg velocity=f32[24]:symbolic --arg force=f32[24]:symbolic --arg inverse_mass=f32[6]:symbolic
// expect[step]: equivalent
// expect[step_old_velocity]: mismatch
__kernel void step(__global float4 *position, __global float4 *velocity, __global const float4 *force,
                   __global const float *inverse_mass, float dt, int vertices) {
  int i = get_global_id(0);
  if (i < vertices) {
    float4 v = velocity[i] + force[i] * (inverse_mass[i] * dt);
    velocity[i] = v;
    position[i] += v * dt;
  }
}

__kernel void step_old_velocity(__global float4 *position, __global float4 *velocity, __global const float4 *force,
                                __global const float *inverse_mass, float dt, int vertices) {
  int i = get_global_id(0);
  if (i < vertices) {
    float4 v = velocity[i];
    velocity[i] = v + force[i] * (inverse_mass[i] * dt);
    position[i] += v * dt;
  }
}
