// CUDA's vector types (structs with x, y, z, w and CUDA's alignment), dim3, and the make_* functions.
#pragma once

#define __LOCKSTEP_VECTORS(T, N, A2, A4)                                                                       \
  struct N##1 { T x; };                                                                                        \
  struct __attribute__((aligned(A2))) N##2 { T x, y; };                                                        \
  struct N##3 { T x, y, z; };                                                                                  \
  struct __attribute__((aligned(A4))) N##4 { T x, y, z, w; };                                                  \
  __LOCKSTEP_HD N##1 make_##N##1(T x) { return {x}; }                                                          \
  __LOCKSTEP_HD N##2 make_##N##2(T x, T y) { return {x, y}; }                                                  \
  __LOCKSTEP_HD N##3 make_##N##3(T x, T y, T z) { return {x, y, z}; }                                          \
  __LOCKSTEP_HD N##4 make_##N##4(T x, T y, T z, T w) { return {x, y, z, w}; }

__LOCKSTEP_VECTORS(signed char, char, 2, 4)
__LOCKSTEP_VECTORS(unsigned char, uchar, 2, 4)
__LOCKSTEP_VECTORS(short, short, 4, 8)
__LOCKSTEP_VECTORS(unsigned short, ushort, 4, 8)
__LOCKSTEP_VECTORS(int, int, 8, 16)
__LOCKSTEP_VECTORS(unsigned int, uint, 8, 16)
__LOCKSTEP_VECTORS(long, long, 16, 16)
__LOCKSTEP_VECTORS(unsigned long, ulong, 16, 16)
__LOCKSTEP_VECTORS(long long, longlong, 16, 16)
__LOCKSTEP_VECTORS(unsigned long long, ulonglong, 16, 16)
__LOCKSTEP_VECTORS(float, float, 8, 16)
__LOCKSTEP_VECTORS(double, double, 16, 16)
#undef __LOCKSTEP_VECTORS

struct dim3 {
  unsigned int x, y, z;
  __host__ __device__ constexpr dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1)
      : x(vx), y(vy), z(vz) {}
  __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  __host__ __device__ constexpr operator uint3() const { return {x, y, z}; }
};
