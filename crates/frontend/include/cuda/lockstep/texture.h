// Textures and surfaces: enough to parse. A fetch is a call of an undefined function, which the lowering reports.
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
struct textureReference {
  int normalized; cudaTextureFilterMode filterMode; cudaTextureAddressMode addressMode[3]; cudaChannelFormatDesc channelDesc;
};
struct surfaceReference { cudaChannelFormatDesc channelDesc; };
template <class T, int Dim = cudaTextureType1D, cudaTextureReadMode Mode = cudaReadModeElementType>
struct __device_builtin_texture_type__ texture : textureReference {};
template <class T, int Dim = 1> struct __device_builtin_surface_type__ surface : surfaceReference {};

extern "C" cudaError_t cudaCreateTextureObject(cudaTextureObject_t *, const cudaResourceDesc *, const cudaTextureDesc *, const cudaResourceViewDesc *);
extern "C" cudaError_t cudaDestroyTextureObject(cudaTextureObject_t);
extern "C" cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *, const cudaResourceDesc *);
extern "C" cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t);
extern "C" cudaChannelFormatDesc cudaCreateChannelDesc(int, int, int, int, cudaChannelFormatKind);
template <class T> cudaChannelFormatDesc cudaCreateChannelDesc();
extern "C" cudaError_t cudaMallocArray(cudaArray_t *, const cudaChannelFormatDesc *, size_t, size_t = 0, unsigned = 0);
extern "C" cudaError_t cudaMalloc3DArray(cudaArray_t *, const cudaChannelFormatDesc *, cudaExtent, unsigned = 0);
template <class X> cudaError_t cudaBindTexture(size_t *, X &, const void *, size_t = ~0u);
template <class X> cudaError_t cudaBindTexture(size_t *, X &, const void *, const cudaChannelFormatDesc &, size_t = ~0u);
template <class X> cudaError_t cudaBindTexture2D(size_t *, X &, const void *, const cudaChannelFormatDesc &, size_t, size_t, size_t);
template <class X> cudaError_t cudaBindTexture2D(size_t *, X &, const void *, size_t, size_t, size_t);
template <class X> cudaError_t cudaBindTextureToArray(X &, cudaArray_const_t);
template <class X> cudaError_t cudaBindTextureToArray(X &, cudaArray_const_t, const cudaChannelFormatDesc &);
template <class X> cudaError_t cudaBindSurfaceToArray(X &, cudaArray_const_t);
template <class X> cudaError_t cudaUnbindTexture(X &);

// What a fetch yields: floats in normalised mode.
template <class T, cudaTextureReadMode M> struct __lockstep_texel { using type = T; };
template <> struct __lockstep_texel<unsigned char, cudaReadModeNormalizedFloat> { using type = float; };
template <> struct __lockstep_texel<unsigned short, cudaReadModeNormalizedFloat> { using type = float; };
template <> struct __lockstep_texel<uchar4, cudaReadModeNormalizedFloat> { using type = float4; };
template <> struct __lockstep_texel<uchar2, cudaReadModeNormalizedFloat> { using type = float2; };
#define __LOCKSTEP_FETCH(fn, ...)                                                                              \
  template <class T, int D, cudaTextureReadMode M>                                                             \
  __device__ typename __lockstep_texel<T, M>::type fn(texture<T, D, M>, __VA_ARGS__);                          \
  template <class T> __device__ T fn(cudaTextureObject_t, __VA_ARGS__);                                        \
  template <class T> __device__ void fn(T *, cudaTextureObject_t, __VA_ARGS__);
__LOCKSTEP_FETCH(tex1Dfetch, int)
__LOCKSTEP_FETCH(tex1D, float)
__LOCKSTEP_FETCH(tex1DLod, float, float)
__LOCKSTEP_FETCH(tex2D, float, float)
__LOCKSTEP_FETCH(tex2DLod, float, float, float)
__LOCKSTEP_FETCH(tex2DLayered, float, float, int)
__LOCKSTEP_FETCH(tex3D, float, float, float)
__LOCKSTEP_FETCH(tex1DLayered, float, int)
__LOCKSTEP_FETCH(texCubemap, float, float, float)
#undef __LOCKSTEP_FETCH
#define __LOCKSTEP_SURFACE(dim, ...)                                                                           \
  template <class T, class S> __device__ T surf##dim##read(S, __VA_ARGS__, cudaSurfaceBoundaryMode = cudaBoundaryModeTrap); \
  template <class T, class S> __device__ void surf##dim##read(T *, S, __VA_ARGS__, cudaSurfaceBoundaryMode = cudaBoundaryModeTrap); \
  template <class T, class S> __device__ void surf##dim##write(T, S, __VA_ARGS__, cudaSurfaceBoundaryMode = cudaBoundaryModeTrap);
__LOCKSTEP_SURFACE(1D, int)
__LOCKSTEP_SURFACE(2D, int, int)
__LOCKSTEP_SURFACE(3D, int, int, int)
#undef __LOCKSTEP_SURFACE
