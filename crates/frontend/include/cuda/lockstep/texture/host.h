// Textures and surfaces as host code knows them.
#pragma once

#define cudaTextureType1D 0x01
#define cudaTextureType2D 0x02
#define cudaTextureType3D 0x03
#define cudaTextureTypeCubemap 0x0C
#define cudaTextureType1DLayered 0xF1
#define cudaTextureType2DLayered 0xF2
#define cudaSurfaceType1D 0x01
#define cudaSurfaceType2D 0x02
#define cudaSurfaceType3D 0x03
enum cudaTextureReadMode { cudaReadModeElementType, cudaReadModeNormalizedFloat };
enum cudaTextureAddressMode { cudaAddressModeWrap, cudaAddressModeClamp, cudaAddressModeMirror, cudaAddressModeBorder };
enum cudaTextureFilterMode { cudaFilterModePoint, cudaFilterModeLinear };
enum cudaSurfaceBoundaryMode { cudaBoundaryModeZero, cudaBoundaryModeClamp, cudaBoundaryModeTrap };
enum cudaChannelFormatKind { cudaChannelFormatKindSigned, cudaChannelFormatKindUnsigned, cudaChannelFormatKindFloat, cudaChannelFormatKindNone };
enum cudaResourceType { cudaResourceTypeArray, cudaResourceTypeMipmappedArray, cudaResourceTypeLinear, cudaResourceTypePitch2D };
enum cudaResourceViewFormat { cudaResViewFormatNone };
struct cudaChannelFormatDesc { int x, y, z, w; cudaChannelFormatKind f; };
struct cudaTextureDesc {
  cudaTextureAddressMode addressMode[3]; cudaTextureFilterMode filterMode; cudaTextureReadMode readMode;
  int sRGB; float borderColor[4]; int normalizedCoords; unsigned maxAnisotropy; cudaTextureFilterMode mipmapFilterMode;
  float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
};
struct cudaResourceDesc {
  cudaResourceType resType;
  union {
    struct { cudaArray_t array; } array;
    struct { cudaMipmappedArray_t mipmap; } mipmap;
    struct { void *devPtr; cudaChannelFormatDesc desc; size_t sizeInBytes; } linear;
    struct { void *devPtr; cudaChannelFormatDesc desc; size_t width, height, pitchInBytes; } pitch2D;
  } res;
};
struct cudaResourceViewDesc { cudaResourceViewFormat format; };
extern "C" cudaError_t cudaCreateTextureObject(cudaTextureObject_t *, const cudaResourceDesc *, const cudaTextureDesc *, const cudaResourceViewDesc *);
extern "C" cudaError_t cudaDestroyTextureObject(cudaTextureObject_t);
extern "C" cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *, const cudaResourceDesc *);
extern "C" cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t);
#if defined(__LOCKSTEP_PROGRAM__) || defined(__LOCKSTEP_HOST_RUNS__)
inline cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind f) { return {x, y, z, w, f}; }
#else
extern "C" cudaChannelFormatDesc cudaCreateChannelDesc(int, int, int, int, cudaChannelFormatKind);
#endif
#if defined(__LOCKSTEP_PROGRAM__) || defined(__LOCKSTEP_HOST_RUNS__)
// The component of a type, and how many.
template <class T> struct __lockstep_components { typedef T type; enum { count = 1 }; };
#define __LOCKSTEP_VECTOR(V, T, N) template <> struct __lockstep_components<V> { typedef T type; enum { count = N }; };
#define __LOCKSTEP_VECTORS(V, T) __LOCKSTEP_VECTOR(V##1, T, 1) __LOCKSTEP_VECTOR(V##2, T, 2) __LOCKSTEP_VECTOR(V##3, T, 3) __LOCKSTEP_VECTOR(V##4, T, 4)
__LOCKSTEP_VECTORS(char, signed char)
__LOCKSTEP_VECTORS(uchar, unsigned char)
__LOCKSTEP_VECTORS(short, short)
__LOCKSTEP_VECTORS(ushort, unsigned short)
__LOCKSTEP_VECTORS(int, int)
__LOCKSTEP_VECTORS(uint, unsigned)
__LOCKSTEP_VECTORS(float, float)
#undef __LOCKSTEP_VECTORS
#undef __LOCKSTEP_VECTOR

template <class T> inline cudaChannelFormatDesc cudaCreateChannelDesc() {
  typedef typename __lockstep_components<T>::type E;
  int bits = sizeof(E) * 8, n = __lockstep_components<T>::count;
  cudaChannelFormatKind kind = E(0.5f) != E(0) ? cudaChannelFormatKindFloat : E(-1) < E(0) ? cudaChannelFormatKindSigned : cudaChannelFormatKindUnsigned;
  return {bits, n > 1 ? bits : 0, n > 2 ? bits : 0, n > 3 ? bits : 0, kind};
}
#else
template <class T> cudaChannelFormatDesc cudaCreateChannelDesc();
#endif
extern "C" cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc *, cudaArray_const_t);
extern "C" cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc *, cudaExtent *, unsigned *, cudaArray_t);
extern "C" cudaError_t cudaMallocArray(cudaArray_t *, const cudaChannelFormatDesc *, size_t, size_t = 0, unsigned = 0);
extern "C" cudaError_t cudaMalloc3DArray(cudaArray_t *, const cudaChannelFormatDesc *, cudaExtent, unsigned = 0);
