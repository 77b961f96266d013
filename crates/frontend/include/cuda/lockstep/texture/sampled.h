// Textures and surfaces of programs that are run. A handle is the address of a description in the device's memory; a fetch
// reads it and does in ordinary code what a texture unit does: addressing, filtering, and conversion of formats. Levels
// of detail are not there, so all of them are the first; a cube's faces are filtered one by one.
#pragma once

// As the runtime library writes it.
struct __lockstep_image {
  const unsigned char *data;
  // Bytes between rows and between slices or layers.
  unsigned long long pitch, slice;
  int width, height, depth, texel;
  int kind, bits[4];
  int address[3], linear, normalised_values, normalised_coordinates;
  float border[4];
};

#define __LOCKSTEP_IMAGE static __device__ __inline__ __attribute__((always_inline, unused))

// The texel that a coordinate means, or -1 for the border.
__LOCKSTEP_IMAGE int __lockstep_addressed(int i, int size, int mode) {
  if (i >= 0 && i < size) return i;
  if (mode == cudaAddressModeWrap) {
    int r = i % size;
    return r < 0 ? r + size : r;
  }
  if (mode == cudaAddressModeMirror) {
    int r = i % (2 * size);
    if (r < 0) r += 2 * size;
    return r < size ? r : 2 * size - 1 - r;
  }
  if (mode == cudaAddressModeBorder) return -1;
  return i < 0 ? 0 : size - 1;
}

__LOCKSTEP_IMAGE float __lockstep_half(unsigned short bits) { return (float)__builtin_bit_cast(_Float16, bits); }

// One component of a texel, as a number of E: floats, and in normalised mode fractions of the largest value.
template <class E> __LOCKSTEP_IMAGE E __lockstep_component(const __lockstep_image *t, const unsigned char *at, int c) {
  int bits = t->bits[c];
  if (bits == 0) return E(0);
  for (int before = 0; before < c; ++before) at += t->bits[before] / 8;
  if (t->kind == cudaChannelFormatKindFloat) return bits == 16 ? E(__lockstep_half(*(const unsigned short *)at)) : E(*(const float *)at);
  long long v;
  float most;
  if (t->kind == cudaChannelFormatKindSigned) {
    v = bits == 8 ? *(const signed char *)at : bits == 16 ? *(const short *)at : *(const int *)at;
    most = bits == 8 ? 127.0f : 32767.0f;
  } else {
    v = bits == 8 ? *at : bits == 16 ? *(const unsigned short *)at : *(const unsigned *)at;
    most = bits == 8 ? 255.0f : 65535.0f;
  }
  if (!t->normalised_values) return E(v);
  float f = (float)v / most;
  return E(f < -1.0f ? -1.0f : f);
}

template <class R> struct __lockstep_sample {
  typedef typename __lockstep_components<R>::type E;
  enum { COUNT = __lockstep_components<R>::count };
  const __lockstep_image *t;
  int rank, layer;

  __device__ __forceinline__ const unsigned char *texel(int i, int j, int k) const {
    return t->data + (layer + k) * t->slice + j * t->pitch + (long long)i * t->texel;
  }
  __device__ __forceinline__ E component(int i, int j, int k, int c) const {
    i = __lockstep_addressed(i, t->width, t->address[0]);
    if (rank > 1) j = __lockstep_addressed(j, t->height, t->address[1]);
    if (rank > 2) k = __lockstep_addressed(k, t->depth, t->address[2]);
    if (i < 0 || j < 0 || k < 0) return E(t->border[c]);
    return __lockstep_component<E>(t, texel(i, j, k), c);
  }
  __device__ __forceinline__ R at(float x, float y, float z) const {
    if (t->normalised_coordinates) {
      x *= (float)t->width;
      y *= (float)t->height;
      z *= (float)t->depth;
    }
    union { E parts[sizeof(R) / sizeof(E)]; R whole; } r;
    if (!t->linear) {
      int i = (int)::floorf(x), j = rank > 1 ? (int)::floorf(y) : 0, k = rank > 2 ? (int)::floorf(z) : 0;
      for (int c = 0; c < COUNT; ++c) r.parts[c] = component(i, j, k, c);
      return r.whole;
    }
    float u = x - 0.5f, v = rank > 1 ? y - 0.5f : 0.0f, w = rank > 2 ? z - 0.5f : 0.0f;
    float i = ::floorf(u), j = ::floorf(v), k = ::floorf(w);
    // Weights have eight bits behind the point.
    float a = ::rintf((u - i) * 256.0f) / 256.0f, b = ::rintf((v - j) * 256.0f) / 256.0f, d = ::rintf((w - k) * 256.0f) / 256.0f;
    for (int c = 0; c < COUNT; ++c) {
      float sum = 0.0f;
      for (int corner = 0; corner < 1 << rank; ++corner) {
        int di = corner & 1, dj = corner >> 1 & 1, dk = corner >> 2;
        float weight = (di ? a : 1.0f - a) * (rank > 1 ? dj ? b : 1.0f - b : 1.0f) * (rank > 2 ? dk ? d : 1.0f - d : 1.0f);
        if (weight != 0.0f) sum += weight * (float)component((int)i + di, (int)j + dj, (int)k + dk, c);
      }
      r.parts[c] = E(sum);
    }
    return r.whole;
  }
};

template <class R> __LOCKSTEP_IMAGE R __lockstep_fetched(cudaTextureObject_t t, int rank, int layer, float x, float y, float z) {
  __lockstep_sample<R> s{(const __lockstep_image *)t, rank, layer};
  if (layer != 0) s.layer = layer < 0 ? 0 : layer >= s.t->depth ? s.t->depth - 1 : layer;
  return s.at(x, y, z);
}
// By a number: nothing lies beyond the end, and what is read there is zero.
template <class R> __LOCKSTEP_IMAGE R __lockstep_fetched_at(cudaTextureObject_t t, int x) {
  __lockstep_sample<R> s{(const __lockstep_image *)t, 1, 0};
  typedef typename __lockstep_components<R>::type E;
  union { E parts[sizeof(R) / sizeof(E)]; R whole; } r;
  bool inside = x >= 0 && x < s.t->width;
  for (int c = 0; c < __lockstep_components<R>::count; ++c) r.parts[c] = inside ? __lockstep_component<E>(s.t, s.texel(x, 0, 0), c) : E(0);
  return r.whole;
}
// A direction to the face that it points to, and the place there.
template <class R> __LOCKSTEP_IMAGE R __lockstep_fetched_cube(cudaTextureObject_t t, int layer, float x, float y, float z) {
  float ax = ::fabsf(x), ay = ::fabsf(y), az = ::fabsf(z), m, u, v;
  int face;
  if (ax >= ay && ax >= az) face = x < 0.0f, m = ax, u = x < 0.0f ? z : -z, v = -y;
  else if (ay >= az) face = 2 + (y < 0.0f), m = ay, u = x, v = y < 0.0f ? -z : z;
  else face = 4 + (z < 0.0f), m = az, u = z < 0.0f ? -x : x, v = -y;
  const __lockstep_image *d = (const __lockstep_image *)t;
  float s = (u / m + 1.0f) * 0.5f, r = (v / m + 1.0f) * 0.5f;
  if (!d->normalised_coordinates) s *= (float)d->width, r *= (float)d->height;
  return __lockstep_fetched<R>(t, 2, layer * 6 + face, s, r, 0.0f);
}

#define __LOCKSTEP_LIST(...) __VA_ARGS__
#define __LOCKSTEP_FETCH(fn, parameters, call, arguments)                                                      \
  template <class T> __LOCKSTEP_IMAGE T fn(cudaTextureObject_t t, __LOCKSTEP_LIST parameters) { return call<T>(t, __LOCKSTEP_LIST arguments); } \
  template <class T> __LOCKSTEP_IMAGE void fn(T *p, cudaTextureObject_t t, __LOCKSTEP_LIST parameters) { *p = call<T>(t, __LOCKSTEP_LIST arguments); }
__LOCKSTEP_FETCH(tex1Dfetch, (int x), __lockstep_fetched_at, (x))
__LOCKSTEP_FETCH(tex1D, (float x), __lockstep_fetched, (1, 0, x, 0.0f, 0.0f))
__LOCKSTEP_FETCH(tex1DLod, (float x, float), __lockstep_fetched, (1, 0, x, 0.0f, 0.0f))
__LOCKSTEP_FETCH(tex1DGrad, (float x, float, float), __lockstep_fetched, (1, 0, x, 0.0f, 0.0f))
__LOCKSTEP_FETCH(tex1DLayered, (float x, int layer), __lockstep_fetched, (1, layer, x, 0.0f, 0.0f))
__LOCKSTEP_FETCH(tex1DLayeredLod, (float x, int layer, float), __lockstep_fetched, (1, layer, x, 0.0f, 0.0f))
__LOCKSTEP_FETCH(tex2D, (float x, float y), __lockstep_fetched, (2, 0, x, y, 0.0f))
__LOCKSTEP_FETCH(tex2DLod, (float x, float y, float), __lockstep_fetched, (2, 0, x, y, 0.0f))
__LOCKSTEP_FETCH(tex2DGrad, (float x, float y, float2, float2), __lockstep_fetched, (2, 0, x, y, 0.0f))
__LOCKSTEP_FETCH(tex2DLayered, (float x, float y, int layer), __lockstep_fetched, (2, layer, x, y, 0.0f))
__LOCKSTEP_FETCH(tex2DLayeredLod, (float x, float y, int layer, float), __lockstep_fetched, (2, layer, x, y, 0.0f))
__LOCKSTEP_FETCH(tex3D, (float x, float y, float z), __lockstep_fetched, (3, 0, x, y, z))
__LOCKSTEP_FETCH(tex3DLod, (float x, float y, float z, float), __lockstep_fetched, (3, 0, x, y, z))
__LOCKSTEP_FETCH(texCubemap, (float x, float y, float z), __lockstep_fetched_cube, (0, x, y, z))
__LOCKSTEP_FETCH(texCubemapLod, (float x, float y, float z, float), __lockstep_fetched_cube, (0, x, y, z))
__LOCKSTEP_FETCH(texCubemapLayered, (float x, float y, float z, int layer), __lockstep_fetched_cube, (layer, x, y, z))
#undef __LOCKSTEP_FETCH

// Where an access of a surface goes; null where it reads zero and writes nothing. One that is trapped goes to behind the
// end of the memory, where it is seen.
__LOCKSTEP_IMAGE unsigned char *__lockstep_surface_at(cudaSurfaceObject_t s, int size, int rank, int x, int y, int z, cudaSurfaceBoundaryMode mode) {
  const __lockstep_image *t = (const __lockstep_image *)s;
  int width = t->width * t->texel, height = t->height > 0 ? t->height : 1, depth = t->depth > 0 ? t->depth : 1;
  if (mode == cudaBoundaryModeClamp) {
    x = x < 0 ? 0 : x + size > width ? width - size : x;
    y = y < 0 ? 0 : y >= height ? height - 1 : y;
    z = z < 0 ? 0 : z >= depth ? depth - 1 : z;
  }
  bool inside = x >= 0 && x + size <= width && y >= 0 && y < height && z >= 0 && z < depth;
  if (!inside && mode == cudaBoundaryModeZero) return nullptr;
  return (unsigned char *)t->data + (inside ? z * t->slice + y * t->pitch + x : depth * t->slice);
}
#define __LOCKSTEP_SURFACE(name, rank, parameters, arguments)                                                  \
  template <class T> __LOCKSTEP_IMAGE T name##read(cudaSurfaceObject_t s, __LOCKSTEP_LIST parameters, cudaSurfaceBoundaryMode m = cudaBoundaryModeTrap) { \
    const T *at = (const T *)__lockstep_surface_at(s, sizeof(T), rank, __LOCKSTEP_LIST arguments, m);          \
    return at ? *at : T{};                                                                                     \
  }                                                                                                            \
  template <class T> __LOCKSTEP_IMAGE void name##read(T *p, cudaSurfaceObject_t s, __LOCKSTEP_LIST parameters, cudaSurfaceBoundaryMode m = cudaBoundaryModeTrap) { \
    const T *at = (const T *)__lockstep_surface_at(s, sizeof(T), rank, __LOCKSTEP_LIST arguments, m);          \
    *p = at ? *at : T{};                                                                                       \
  }                                                                                                            \
  template <class T> __LOCKSTEP_IMAGE void name##write(T v, cudaSurfaceObject_t s, __LOCKSTEP_LIST parameters, cudaSurfaceBoundaryMode m = cudaBoundaryModeTrap) { \
    T *at = (T *)__lockstep_surface_at(s, sizeof(T), rank, __LOCKSTEP_LIST arguments, m);                      \
    if (at) *at = v;                                                                                           \
  }
__LOCKSTEP_SURFACE(surf1D, 1, (int x), (x, 0, 0))
__LOCKSTEP_SURFACE(surf2D, 2, (int x, int y), (x, y, 0))
__LOCKSTEP_SURFACE(surf3D, 3, (int x, int y, int z), (x, y, z))
__LOCKSTEP_SURFACE(surf1DLayered, 2, (int x, int layer), (x, 0, layer))
__LOCKSTEP_SURFACE(surf2DLayered, 3, (int x, int y, int layer), (x, y, layer))
__LOCKSTEP_SURFACE(surfCubemap, 3, (int x, int y, int face), (x, y, face))
__LOCKSTEP_SURFACE(surfCubemapLayered, 3, (int x, int y, int face), (x, y, face))
#undef __LOCKSTEP_SURFACE
#undef __LOCKSTEP_LIST
#undef __LOCKSTEP_IMAGE

// References are not there: CUDA 12 has taken them away, too.
#define __LOCKSTEP_REFERENCE(fn)                                                                               \
  template <class T, int D, cudaTextureReadMode M, class... C> __device__ T fn(texture<T, D, M>, C...) {       \
    static_assert(sizeof(T) == 0, #fn " of a texture reference: a program that is run needs a texture object, of cudaCreateTextureObject"); \
    return T{};                                                                                                \
  }
__LOCKSTEP_REFERENCE(tex1Dfetch)
__LOCKSTEP_REFERENCE(tex1D)
__LOCKSTEP_REFERENCE(tex2D)
__LOCKSTEP_REFERENCE(tex3D)
#undef __LOCKSTEP_REFERENCE
