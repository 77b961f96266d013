// Textures and surfaces. A fetch is a load from an address that the lowering makes of the handle and the coordinates.
#pragma once

#include "texture/host.h"

struct textureReference {
  int normalized; cudaTextureFilterMode filterMode; cudaTextureAddressMode addressMode[3]; cudaChannelFormatDesc channelDesc;
};
struct surfaceReference { cudaChannelFormatDesc channelDesc; };
template <class T, int Dim = cudaTextureType1D, cudaTextureReadMode Mode = cudaReadModeElementType>
struct __device_builtin_texture_type__ texture : textureReference {};
template <class T, int Dim = 1> struct __device_builtin_surface_type__ surface : surfaceReference {};

template <class X> cudaError_t cudaBindTexture(size_t *, X &, const void *, size_t = ~0u);
template <class X> cudaError_t cudaBindTexture(size_t *, X &, const void *, const cudaChannelFormatDesc &, size_t = ~0u);
template <class X> cudaError_t cudaBindTexture2D(size_t *, X &, const void *, const cudaChannelFormatDesc &, size_t, size_t, size_t);
template <class X> cudaError_t cudaBindTexture2D(size_t *, X &, const void *, size_t, size_t, size_t);
template <class X> cudaError_t cudaBindTextureToArray(X &, cudaArray_const_t);
template <class X> cudaError_t cudaBindTextureToArray(X &, cudaArray_const_t, const cudaChannelFormatDesc &);
template <class X> cudaError_t cudaBindSurfaceToArray(X &, cudaArray_const_t);
template <class X> cudaError_t cudaUnbindTexture(X &);

// Addresses of texels, made by the lowering: where the texels of a handle begin is the launch's matter. A texture is
// read through a sampler: `rank` of the coordinates say where, what follows them only how. A surface's first
// coordinate counts bytes.
template <class X, class... C> __device__ const void *__lockstep_texture(int rank, unsigned unit, X handle, C... coords);
template <class X, class... C> __device__ void *__lockstep_surface(int rank, cudaSurfaceBoundaryMode mode, X handle, C... coords);

// What a fetch yields: floats in normalised mode.
template <class T, cudaTextureReadMode M> struct __lockstep_texel { using type = T; };
#define __LOCKSTEP_NORMALISED(T, F) template <> struct __lockstep_texel<T, cudaReadModeNormalizedFloat> { using type = F; };
__LOCKSTEP_NORMALISED(char, float)
__LOCKSTEP_NORMALISED(signed char, float)
__LOCKSTEP_NORMALISED(unsigned char, float)
__LOCKSTEP_NORMALISED(short, float)
__LOCKSTEP_NORMALISED(unsigned short, float)
__LOCKSTEP_NORMALISED(char1, float1)
__LOCKSTEP_NORMALISED(uchar1, float1)
__LOCKSTEP_NORMALISED(short1, float1)
__LOCKSTEP_NORMALISED(ushort1, float1)
__LOCKSTEP_NORMALISED(char2, float2)
__LOCKSTEP_NORMALISED(uchar2, float2)
__LOCKSTEP_NORMALISED(short2, float2)
__LOCKSTEP_NORMALISED(ushort2, float2)
__LOCKSTEP_NORMALISED(char4, float4)
__LOCKSTEP_NORMALISED(uchar4, float4)
__LOCKSTEP_NORMALISED(short4, float4)
__LOCKSTEP_NORMALISED(ushort4, float4)
#undef __LOCKSTEP_NORMALISED

#ifdef __LOCKSTEP_PROGRAM__
#include "texture/sampled.h"
#else
#define __LOCKSTEP_LIST(...) __VA_ARGS__
#define __LOCKSTEP_FETCH(fn, rank, parameters, arguments)                                                      \
  template <class T, int D, cudaTextureReadMode M>                                                             \
  __LOCKSTEP_DEVICE typename __lockstep_texel<T, M>::type fn(texture<T, D, M> t, __LOCKSTEP_LIST parameters) { \
    using R = typename __lockstep_texel<T, M>::type;                                                           \
    return *(const R *)__lockstep_texture(rank, sizeof(R), t, __LOCKSTEP_LIST arguments);                      \
  }                                                                                                            \
  template <class T> __LOCKSTEP_DEVICE T fn(cudaTextureObject_t t, __LOCKSTEP_LIST parameters) {               \
    return *(const T *)__lockstep_texture(rank, sizeof(T), t, __LOCKSTEP_LIST arguments);                      \
  }                                                                                                            \
  template <class T> __LOCKSTEP_DEVICE void fn(T *p, cudaTextureObject_t t, __LOCKSTEP_LIST parameters) {      \
    *p = *(const T *)__lockstep_texture(rank, sizeof(T), t, __LOCKSTEP_LIST arguments);                        \
  }
__LOCKSTEP_FETCH(tex1Dfetch, 1, (int x), (x))
__LOCKSTEP_FETCH(tex1D, 1, (float x), (x))
__LOCKSTEP_FETCH(tex1DLod, 1, (float x, float level), (x, level))
__LOCKSTEP_FETCH(tex1DGrad, 1, (float x, float dx, float dy), (x, dx, dy))
__LOCKSTEP_FETCH(tex1DLayered, 2, (float x, int layer), (x, layer))
__LOCKSTEP_FETCH(tex1DLayeredLod, 2, (float x, int layer, float level), (x, layer, level))
__LOCKSTEP_FETCH(tex2D, 2, (float x, float y), (x, y))
__LOCKSTEP_FETCH(tex2DLod, 2, (float x, float y, float level), (x, y, level))
__LOCKSTEP_FETCH(tex2DGrad, 2, (float x, float y, float2 dx, float2 dy), (x, y, dx.x, dx.y, dy.x, dy.y))
__LOCKSTEP_FETCH(tex2DLayered, 3, (float x, float y, int layer), (x, y, layer))
__LOCKSTEP_FETCH(tex2DLayeredLod, 3, (float x, float y, int layer, float level), (x, y, layer, level))
__LOCKSTEP_FETCH(tex3D, 3, (float x, float y, float z), (x, y, z))
__LOCKSTEP_FETCH(tex3DLod, 3, (float x, float y, float z, float level), (x, y, z, level))
__LOCKSTEP_FETCH(texCubemap, 3, (float x, float y, float z), (x, y, z))
__LOCKSTEP_FETCH(texCubemapLod, 3, (float x, float y, float z, float level), (x, y, z, level))
__LOCKSTEP_FETCH(texCubemapLayered, 3, (float x, float y, float z, int layer), (x, y, z, layer))
#undef __LOCKSTEP_FETCH
// Four texels around a point, one component of each.
template <class T> __LOCKSTEP_DEVICE T tex2Dgather(cudaTextureObject_t t, float x, float y, int component = 0) {
  return *(const T *)__lockstep_texture(2, sizeof(T), t, x, y, component, 0x67617468);
}

#define __LOCKSTEP_SURFACE(name, rank, parameters, arguments)                                                  \
  template <class T, class S>                                                                                  \
  __LOCKSTEP_DEVICE T name##read(S s, __LOCKSTEP_LIST parameters, cudaSurfaceBoundaryMode m = cudaBoundaryModeTrap) { \
    return *(const T *)__lockstep_surface(rank, m, s, __LOCKSTEP_LIST arguments);                              \
  }                                                                                                            \
  template <class T, class S>                                                                                  \
  __LOCKSTEP_DEVICE void name##read(T *p, S s, __LOCKSTEP_LIST parameters, cudaSurfaceBoundaryMode m = cudaBoundaryModeTrap) { \
    *p = *(const T *)__lockstep_surface(rank, m, s, __LOCKSTEP_LIST arguments);                                \
  }                                                                                                            \
  template <class T, class S>                                                                                  \
  __LOCKSTEP_DEVICE void name##write(T v, S s, __LOCKSTEP_LIST parameters, cudaSurfaceBoundaryMode m = cudaBoundaryModeTrap) { \
    *(T *)__lockstep_surface(rank, m, s, __LOCKSTEP_LIST arguments) = v;                                       \
  }
__LOCKSTEP_SURFACE(surf1D, 1, (int x), (x))
__LOCKSTEP_SURFACE(surf2D, 2, (int x, int y), (x, y))
__LOCKSTEP_SURFACE(surf3D, 3, (int x, int y, int z), (x, y, z))
__LOCKSTEP_SURFACE(surf1DLayered, 2, (int x, int layer), (x, layer))
__LOCKSTEP_SURFACE(surf2DLayered, 3, (int x, int y, int layer), (x, y, layer))
__LOCKSTEP_SURFACE(surfCubemap, 3, (int x, int y, int face), (x, y, face))
__LOCKSTEP_SURFACE(surfCubemapLayered, 3, (int x, int y, int face), (x, y, face))
#undef __LOCKSTEP_SURFACE
#undef __LOCKSTEP_LIST
#endif
