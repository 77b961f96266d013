// The CUDA runtime as host code calls it: declarations only, so that the host part of a file type-checks, and what
// clang looks up for k<<<grid, block>>>(...). Error codes and attributes have CUDA's numbers where code prints them.
#pragma once

// Code tests whether CUDA's headers have been read by the names of their guards.
#define __CUDA_RUNTIME_H__
#define __CUDA_RUNTIME_API_H__
#define __DRIVER_TYPES_H__

typedef enum cudaError {
  cudaSuccess = 0, cudaErrorInvalidValue = 1, cudaErrorMemoryAllocation = 2, cudaErrorInitializationError = 3,
  cudaErrorCudartUnloading = 4, cudaErrorProfilerDisabled = 5, cudaErrorProfilerNotInitialized = 6,
  cudaErrorProfilerAlreadyStarted = 7, cudaErrorProfilerAlreadyStopped = 8, cudaErrorInvalidConfiguration = 9,
  cudaErrorInvalidPitchValue = 12, cudaErrorInvalidSymbol = 13, cudaErrorInvalidHostPointer = 16,
  cudaErrorInvalidDevicePointer = 17, cudaErrorInvalidTexture = 18, cudaErrorInvalidTextureBinding = 19,
  cudaErrorInvalidChannelDescriptor = 20, cudaErrorInvalidMemcpyDirection = 21, cudaErrorAddressOfConstant = 22,
  cudaErrorTextureFetchFailed = 23, cudaErrorTextureNotBound = 24, cudaErrorSynchronizationError = 25,
  cudaErrorInvalidFilterSetting = 26, cudaErrorInvalidNormSetting = 27, cudaErrorMixedDeviceExecution = 28,
  cudaErrorNotYetImplemented = 31, cudaErrorMemoryValueTooLarge = 32, cudaErrorStubLibrary = 34,
  cudaErrorInsufficientDriver = 35, cudaErrorCallRequiresNewerDriver = 36, cudaErrorInvalidSurface = 37,
  cudaErrorDuplicateVariableName = 43, cudaErrorDuplicateTextureName = 44, cudaErrorDuplicateSurfaceName = 45,
  cudaErrorDevicesUnavailable = 46, cudaErrorIncompatibleDriverContext = 49, cudaErrorMissingConfiguration = 52,
  cudaErrorPriorLaunchFailure = 53, cudaErrorLaunchMaxDepthExceeded = 65, cudaErrorLaunchFileScopedTex = 66,
  cudaErrorLaunchFileScopedSurf = 67, cudaErrorSyncDepthExceeded = 68, cudaErrorLaunchPendingCountExceeded = 69,
  cudaErrorInvalidDeviceFunction = 98, cudaErrorNoDevice = 100, cudaErrorInvalidDevice = 101,
  cudaErrorDeviceNotLicensed = 102, cudaErrorStartupFailure = 127, cudaErrorInvalidKernelImage = 200,
  cudaErrorDeviceUninitialized = 201, cudaErrorMapBufferObjectFailed = 205, cudaErrorUnmapBufferObjectFailed = 206,
  cudaErrorArrayIsMapped = 207, cudaErrorAlreadyMapped = 208, cudaErrorNoKernelImageForDevice = 209,
  cudaErrorAlreadyAcquired = 210, cudaErrorNotMapped = 211, cudaErrorNotMappedAsArray = 212,
  cudaErrorNotMappedAsPointer = 213, cudaErrorECCUncorrectable = 214, cudaErrorUnsupportedLimit = 215,
  cudaErrorDeviceAlreadyInUse = 216, cudaErrorPeerAccessUnsupported = 217, cudaErrorInvalidPtx = 218,
  cudaErrorInvalidGraphicsContext = 219, cudaErrorNvlinkUncorrectable = 220, cudaErrorJitCompilerNotFound = 221,
  cudaErrorUnsupportedPtxVersion = 222, cudaErrorJitCompilationDisabled = 223, cudaErrorInvalidSource = 300,
  cudaErrorFileNotFound = 301, cudaErrorSharedObjectSymbolNotFound = 302, cudaErrorSharedObjectInitFailed = 303,
  cudaErrorOperatingSystem = 304, cudaErrorInvalidResourceHandle = 400, cudaErrorIllegalState = 401,
  cudaErrorSymbolNotFound = 500, cudaErrorNotReady = 600, cudaErrorIllegalAddress = 700,
  cudaErrorLaunchOutOfResources = 701, cudaErrorLaunchTimeout = 702, cudaErrorLaunchIncompatibleTexturing = 703,
  cudaErrorPeerAccessAlreadyEnabled = 704, cudaErrorPeerAccessNotEnabled = 705, cudaErrorSetOnActiveProcess = 708,
  cudaErrorContextIsDestroyed = 709, cudaErrorAssert = 710, cudaErrorTooManyPeers = 711,
  cudaErrorHostMemoryAlreadyRegistered = 712, cudaErrorHostMemoryNotRegistered = 713,
  cudaErrorHardwareStackError = 714, cudaErrorIllegalInstruction = 715, cudaErrorMisalignedAddress = 716,
  cudaErrorInvalidAddressSpace = 717, cudaErrorInvalidPc = 718, cudaErrorLaunchFailure = 719,
  cudaErrorCooperativeLaunchTooLarge = 720, cudaErrorNotPermitted = 800, cudaErrorNotSupported = 801,
  cudaErrorSystemNotReady = 802, cudaErrorSystemDriverMismatch = 803, cudaErrorCompatNotSupportedOnDevice = 804,
  cudaErrorStreamCaptureUnsupported = 900, cudaErrorStreamCaptureInvalidated = 901,
  cudaErrorStreamCaptureMerge = 902, cudaErrorStreamCaptureUnmatched = 903, cudaErrorStreamCaptureUnjoined = 904,
  cudaErrorStreamCaptureIsolation = 905, cudaErrorStreamCaptureImplicit = 906, cudaErrorCapturedEvent = 907,
  cudaErrorStreamCaptureWrongThread = 908, cudaErrorTimeout = 909, cudaErrorGraphExecUpdateFailure = 910,
  cudaErrorUnknown = 999, cudaErrorApiFailureBase = 10000
} cudaError_t;
enum cudaMemcpyKind {
  cudaMemcpyHostToHost, cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice, cudaMemcpyDefault
};
typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;
typedef struct CUgraph_st *cudaGraph_t;
typedef struct CUgraphExec_st *cudaGraphExec_t;
typedef struct CUgraphNode_st *cudaGraphNode_t;
typedef struct CUmemPoolHandle_st *cudaMemPool_t;
typedef struct CUfunc_st *cudaFunction_t;
typedef struct cudaArray *cudaArray_t;
typedef const struct cudaArray *cudaArray_const_t;
typedef struct cudaMipmappedArray *cudaMipmappedArray_t;
typedef unsigned long long cudaTextureObject_t;
typedef unsigned long long cudaSurfaceObject_t;
typedef void (*cudaStreamCallback_t)(cudaStream_t, cudaError_t, void *);
typedef void (*cudaHostFn_t)(void *);
#define cudaStreamLegacy ((cudaStream_t)0x1)
#define cudaStreamPerThread ((cudaStream_t)0x2)
#define cudaStreamDefault 0x00
#define cudaStreamNonBlocking 0x01
#define cudaEventDefault 0x00
#define cudaEventBlockingSync 0x01
#define cudaEventDisableTiming 0x02
#define cudaEventInterprocess 0x04
#define cudaHostAllocDefault 0x00
#define cudaHostAllocPortable 0x01
#define cudaHostAllocMapped 0x02
#define cudaHostAllocWriteCombined 0x04
#define cudaHostRegisterDefault 0x00
#define cudaHostRegisterPortable 0x01
#define cudaHostRegisterMapped 0x02
#define cudaHostRegisterReadOnly 0x08
#define cudaMemAttachGlobal 0x01
#define cudaMemAttachHost 0x02
#define cudaMemAttachSingle 0x04
#define cudaDeviceScheduleAuto 0x00
#define cudaDeviceScheduleSpin 0x01
#define cudaDeviceScheduleYield 0x02
#define cudaDeviceScheduleBlockingSync 0x04
#define cudaDeviceBlockingSync 0x04
#define cudaDeviceMapHost 0x08
#define cudaDeviceLmemResizeToMax 0x10
#define cudaArrayDefault 0x00
#define cudaArrayLayered 0x01
#define cudaArraySurfaceLoadStore 0x02
#define cudaArrayCubemap 0x04
#define cudaArrayTextureGather 0x08
#define cudaOccupancyDefault 0x00
#define cudaCpuDeviceId (-1)
#define cudaInvalidDeviceId (-2)
#define CUDA_IPC_HANDLE_SIZE 64
#define cudaDevicePropDontCare {}

enum cudaFuncCache { cudaFuncCachePreferNone, cudaFuncCachePreferShared, cudaFuncCachePreferL1, cudaFuncCachePreferEqual };
enum cudaSharedMemConfig { cudaSharedMemBankSizeDefault, cudaSharedMemBankSizeFourByte, cudaSharedMemBankSizeEightByte };
enum cudaSharedCarveout { cudaSharedmemCarveoutDefault = -1, cudaSharedmemCarveoutMaxShared = 100, cudaSharedmemCarveoutMaxL1 = 0 };
enum cudaComputeMode { cudaComputeModeDefault, cudaComputeModeExclusive, cudaComputeModeProhibited, cudaComputeModeExclusiveProcess };
enum cudaLimit { cudaLimitStackSize, cudaLimitPrintfFifoSize, cudaLimitMallocHeapSize, cudaLimitDevRuntimeSyncDepth,
                 cudaLimitDevRuntimePendingLaunchCount, cudaLimitMaxL2FetchGranularity, cudaLimitPersistingL2CacheSize };
enum cudaMemoryAdvise { cudaMemAdviseSetReadMostly = 1, cudaMemAdviseUnsetReadMostly, cudaMemAdviseSetPreferredLocation,
                        cudaMemAdviseUnsetPreferredLocation, cudaMemAdviseSetAccessedBy, cudaMemAdviseUnsetAccessedBy };
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize = 8, cudaFuncAttributePreferredSharedMemoryCarveout = 9,
                         cudaFuncAttributeNonPortableClusterSizeAllowed = 14 };
enum cudaMemPoolAttr { cudaMemPoolReuseFollowEventDependencies = 1, cudaMemPoolReuseAllowOpportunistic,
                       cudaMemPoolReuseAllowInternalDependencies, cudaMemPoolAttrReleaseThreshold };
enum cudaMemoryType { cudaMemoryTypeUnregistered, cudaMemoryTypeHost, cudaMemoryTypeDevice, cudaMemoryTypeManaged };
enum cudaStreamCaptureMode { cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal, cudaStreamCaptureModeRelaxed };
enum cudaStreamCaptureStatus { cudaStreamCaptureStatusNone, cudaStreamCaptureStatusActive, cudaStreamCaptureStatusInvalidated };
enum cudaDeviceAttr {
  cudaDevAttrMaxThreadsPerBlock = 1, cudaDevAttrMaxBlockDimX, cudaDevAttrMaxBlockDimY, cudaDevAttrMaxBlockDimZ,
  cudaDevAttrMaxGridDimX, cudaDevAttrMaxGridDimY, cudaDevAttrMaxGridDimZ, cudaDevAttrMaxSharedMemoryPerBlock,
  cudaDevAttrTotalConstantMemory, cudaDevAttrWarpSize, cudaDevAttrMaxPitch, cudaDevAttrMaxRegistersPerBlock,
  cudaDevAttrClockRate, cudaDevAttrTextureAlignment, cudaDevAttrGpuOverlap, cudaDevAttrMultiProcessorCount,
  cudaDevAttrKernelExecTimeout, cudaDevAttrIntegrated, cudaDevAttrCanMapHostMemory, cudaDevAttrComputeMode,
  cudaDevAttrConcurrentKernels = 31, cudaDevAttrMemoryClockRate = 36, cudaDevAttrGlobalMemoryBusWidth,
  cudaDevAttrL2CacheSize, cudaDevAttrMaxThreadsPerMultiProcessor, cudaDevAttrUnifiedAddressing = 41,
  cudaDevAttrComputeCapabilityMajor = 75, cudaDevAttrComputeCapabilityMinor, cudaDevAttrMaxSharedMemoryPerMultiprocessor = 81,
  cudaDevAttrMaxRegistersPerMultiprocessor, cudaDevAttrManagedMemory, cudaDevAttrPageableMemoryAccess = 88,
  cudaDevAttrConcurrentManagedAccess, cudaDevAttrCooperativeLaunch = 95, cudaDevAttrMaxSharedMemoryPerBlockOptin = 97,
  cudaDevAttrMaxBlocksPerMultiprocessor = 106, cudaDevAttrMemoryPoolsSupported = 115
};
enum cudaDataType_t { CUDA_R_16F = 2, CUDA_C_16F = 6, CUDA_R_32F = 0, CUDA_C_32F = 4, CUDA_R_64F = 1, CUDA_C_64F = 5,
                      CUDA_R_8I = 3, CUDA_R_8U = 8, CUDA_R_32I = 10, CUDA_R_16BF = 14, CUDA_R_8F_E4M3 = 28, CUDA_R_8F_E5M2 = 29 };
typedef enum cudaDataType_t cudaDataType;

struct cudaUUID_t { char bytes[16]; };
struct cudaDeviceProp {
  char name[256];
  cudaUUID_t uuid;
  size_t totalGlobalMem, sharedMemPerBlock, memPitch, totalConstMem, textureAlignment, texturePitchAlignment, surfaceAlignment;
  size_t sharedMemPerMultiprocessor, sharedMemPerBlockOptin, reservedSharedMemPerBlock;
  int regsPerBlock, warpSize, maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], clockRate, major, minor, deviceOverlap;
  int multiProcessorCount, kernelExecTimeoutEnabled, integrated, canMapHostMemory, computeMode, maxTexture1D;
  int maxTexture1DLinear, maxTexture2D[2], maxTexture3D[3], concurrentKernels, ECCEnabled, pciBusID, pciDeviceID, pciDomainID;
  int tccDriver, asyncEngineCount, unifiedAddressing, memoryClockRate, memoryBusWidth, l2CacheSize, persistingL2CacheMaxSize;
  int maxThreadsPerMultiProcessor, streamPrioritiesSupported, globalL1CacheSupported, localL1CacheSupported;
  int regsPerMultiprocessor, managedMemory, isMultiGpuBoard, multiGpuBoardGroupID, hostNativeAtomicSupported;
  int singleToDoublePrecisionPerfRatio, pageableMemoryAccess, concurrentManagedAccess, computePreemptionSupported;
  int canUseHostPointerForRegisteredMem, cooperativeLaunch, cooperativeMultiDeviceLaunch;
  int pageableMemoryAccessUsesHostPageTables, directManagedMemAccessFromHost, maxBlocksPerMultiProcessor;
  int accessPolicyMaxWindowSize, memoryPoolsSupported;
};
struct cudaFuncAttributes {
  size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
  int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, cacheModeCA, maxDynamicSharedSizeBytes, preferredShmemCarveout;
};
struct cudaPointerAttributes { cudaMemoryType type; int device; void *devicePointer, *hostPointer; };
struct cudaExtent { size_t width, height, depth; };
struct cudaPos { size_t x, y, z; };
struct cudaPitchedPtr { void *ptr; size_t pitch, xsize, ysize; };
struct cudaMemcpy3DParms {
  cudaArray_t srcArray; cudaPos srcPos; cudaPitchedPtr srcPtr;
  cudaArray_t dstArray; cudaPos dstPos; cudaPitchedPtr dstPtr;
  cudaExtent extent; cudaMemcpyKind kind;
};
struct cudaIpcMemHandle_t { char reserved[CUDA_IPC_HANDLE_SIZE]; };
struct cudaIpcEventHandle_t { char reserved[CUDA_IPC_HANDLE_SIZE]; };
struct cudaMemLocation { int type, id; };
struct cudaKernelNodeParams { void *func; dim3 gridDim, blockDim; unsigned sharedMemBytes; void **kernelParams, **extra; };
struct cudaMemsetParams { void *dst; size_t pitch; unsigned value, elementSize; size_t width, height; };
struct cudaHostNodeParams { cudaHostFn_t fn; void *userData; };
enum cudaGraphNodeType { cudaGraphNodeTypeKernel, cudaGraphNodeTypeMemcpy, cudaGraphNodeTypeMemset, cudaGraphNodeTypeHost,
                         cudaGraphNodeTypeGraph, cudaGraphNodeTypeEmpty };
enum cudaGraphExecUpdateResult { cudaGraphExecUpdateSuccess, cudaGraphExecUpdateError, cudaGraphExecUpdateErrorTopologyChanged,
                                 cudaGraphExecUpdateErrorNodeTypeChanged };
struct cudaGraphExecUpdateResultInfo { cudaGraphExecUpdateResult result; cudaGraphNode_t errorNode, errorFromNode; };
enum cudaAccessProperty { cudaAccessPropertyNormal, cudaAccessPropertyStreaming, cudaAccessPropertyPersisting };
struct cudaAccessPolicyWindow { void *base_ptr; size_t num_bytes; float hitRatio; cudaAccessProperty hitProp, missProp; };
enum cudaLaunchAttributeID {
  cudaLaunchAttributeIgnore = 0, cudaLaunchAttributeAccessPolicyWindow = 1, cudaLaunchAttributeCooperative = 2,
  cudaLaunchAttributeSynchronizationPolicy = 3, cudaLaunchAttributeClusterDimension = 4,
  cudaLaunchAttributeClusterSchedulingPolicyPreference = 5, cudaLaunchAttributeProgrammaticStreamSerialization = 6,
  cudaLaunchAttributeProgrammaticEvent = 7, cudaLaunchAttributePriority = 8, cudaLaunchAttributeMemSyncDomainMap = 9,
  cudaLaunchAttributeMemSyncDomain = 10
};
union cudaLaunchAttributeValue {
  char pad[64];
  struct { unsigned x, y, z; } clusterDim;
  int cooperative, clusterSchedulingPolicyPreference, programmaticStreamSerializationAllowed, priority;
  struct { void *event; int flags, triggerAtBlockStart; } programmaticEvent;
  cudaAccessPolicyWindow accessPolicyWindow;
};
typedef cudaLaunchAttributeID cudaStreamAttrID;
typedef cudaLaunchAttributeValue cudaStreamAttrValue;
#define cudaStreamAttributeAccessPolicyWindow cudaLaunchAttributeAccessPolicyWindow
#define cudaStreamAttributeSynchronizationPolicy cudaLaunchAttributeSynchronizationPolicy
#define cudaStreamAttributePriority cudaLaunchAttributePriority
struct cudaLaunchAttribute { cudaLaunchAttributeID id; cudaLaunchAttributeValue val; };
struct cudaLaunchConfig_t { dim3 gridDim, blockDim; size_t dynamicSmemBytes; cudaStream_t stream; cudaLaunchAttribute *attrs; unsigned numAttrs; };
inline cudaExtent make_cudaExtent(size_t w, size_t h, size_t d) { return {w, h, d}; }
inline cudaPos make_cudaPos(size_t x, size_t y, size_t z) { return {x, y, z}; }
inline cudaPitchedPtr make_cudaPitchedPtr(void *p, size_t pitch, size_t x, size_t y) { return {p, pitch, x, y}; }

// What clang resolves a <<<>>> to; the driver passes it, or does not, depending on the SDK it believes to see.
extern "C" unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared = 0, void *stream = nullptr);
extern "C" cudaError_t cudaConfigureCall(dim3 grid, dim3 block, size_t shared = 0, cudaStream_t stream = nullptr);
extern "C" cudaError_t cudaLaunchKernel(const void *, dim3, dim3, void **, size_t = 0, cudaStream_t = nullptr);

#define __LOCKSTEP_CUDA extern "C" cudaError_t
// These exist in device code too (dynamic parallelism); the lowering reports them as unsupported if they are reached.
#define __LOCKSTEP_CUDA_HD extern "C" __host__ __device__ cudaError_t
__LOCKSTEP_CUDA_HD cudaGetLastError();
__LOCKSTEP_CUDA_HD cudaPeekAtLastError();
extern "C" __host__ __device__ const char *cudaGetErrorString(cudaError_t);
extern "C" __host__ __device__ const char *cudaGetErrorName(cudaError_t);
__LOCKSTEP_CUDA_HD cudaDeviceSynchronize();
__LOCKSTEP_CUDA_HD cudaGetDevice(int *);
__LOCKSTEP_CUDA_HD cudaGetDeviceCount(int *);
__LOCKSTEP_CUDA_HD cudaDeviceGetAttribute(int *, cudaDeviceAttr, int);
__LOCKSTEP_CUDA_HD cudaMalloc(void **, size_t);
__LOCKSTEP_CUDA_HD cudaFree(void *);
__LOCKSTEP_CUDA_HD cudaMemcpyAsync(void *, const void *, size_t, cudaMemcpyKind, cudaStream_t = nullptr);
__LOCKSTEP_CUDA_HD cudaMemsetAsync(void *, int, size_t, cudaStream_t = nullptr);
__LOCKSTEP_CUDA_HD cudaStreamCreateWithFlags(cudaStream_t *, unsigned);
__LOCKSTEP_CUDA_HD cudaStreamDestroy(cudaStream_t);
__LOCKSTEP_CUDA_HD cudaEventRecord(cudaEvent_t, cudaStream_t = nullptr);

__LOCKSTEP_CUDA cudaSetDevice(int);
__LOCKSTEP_CUDA cudaSetDeviceFlags(unsigned);
__LOCKSTEP_CUDA cudaChooseDevice(int *, const cudaDeviceProp *);
__LOCKSTEP_CUDA cudaGetDeviceProperties(cudaDeviceProp *, int);
__LOCKSTEP_CUDA cudaDeviceReset();
__LOCKSTEP_CUDA cudaThreadSynchronize();
__LOCKSTEP_CUDA cudaThreadExit();
__LOCKSTEP_CUDA cudaDeviceSetLimit(cudaLimit, size_t);
__LOCKSTEP_CUDA cudaDeviceGetLimit(size_t *, cudaLimit);
__LOCKSTEP_CUDA cudaDeviceSetCacheConfig(cudaFuncCache);
__LOCKSTEP_CUDA cudaDeviceSetSharedMemConfig(cudaSharedMemConfig);
__LOCKSTEP_CUDA cudaDeviceCanAccessPeer(int *, int, int);
__LOCKSTEP_CUDA cudaDeviceEnablePeerAccess(int, unsigned);
__LOCKSTEP_CUDA cudaDeviceDisablePeerAccess(int);
__LOCKSTEP_CUDA cudaDeviceGetDefaultMemPool(cudaMemPool_t *, int);
__LOCKSTEP_CUDA cudaDeviceGetStreamPriorityRange(int *, int *);
__LOCKSTEP_CUDA cudaDeviceGetPCIBusId(char *, int, int);
__LOCKSTEP_CUDA cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void *);
__LOCKSTEP_CUDA cudaMemPoolTrimTo(cudaMemPool_t, size_t);
__LOCKSTEP_CUDA cudaDriverGetVersion(int *);
__LOCKSTEP_CUDA cudaRuntimeGetVersion(int *);
__LOCKSTEP_CUDA cudaProfilerStart();
__LOCKSTEP_CUDA cudaProfilerStop();

__LOCKSTEP_CUDA cudaMallocHost(void **, size_t);
__LOCKSTEP_CUDA cudaHostAlloc(void **, size_t, unsigned);
__LOCKSTEP_CUDA cudaFreeHost(void *);
__LOCKSTEP_CUDA cudaHostRegister(void *, size_t, unsigned);
__LOCKSTEP_CUDA cudaHostUnregister(void *);
__LOCKSTEP_CUDA cudaHostGetDevicePointer(void **, void *, unsigned);
__LOCKSTEP_CUDA cudaMallocManaged(void **, size_t, unsigned = cudaMemAttachGlobal);
__LOCKSTEP_CUDA cudaMallocAsync(void **, size_t, cudaStream_t);
__LOCKSTEP_CUDA cudaFreeAsync(void *, cudaStream_t);
__LOCKSTEP_CUDA cudaMallocPitch(void **, size_t *, size_t, size_t);
__LOCKSTEP_CUDA cudaMalloc3D(cudaPitchedPtr *, cudaExtent);
__LOCKSTEP_CUDA cudaMemGetInfo(size_t *, size_t *);
__LOCKSTEP_CUDA cudaMemAdvise(const void *, size_t, cudaMemoryAdvise, int);
__LOCKSTEP_CUDA cudaMemPrefetchAsync(const void *, size_t, int, cudaStream_t = nullptr);
__LOCKSTEP_CUDA cudaPointerGetAttributes(cudaPointerAttributes *, const void *);
__LOCKSTEP_CUDA cudaMemcpy(void *, const void *, size_t, cudaMemcpyKind);
__LOCKSTEP_CUDA cudaMemcpyPeer(void *, int, const void *, int, size_t);
__LOCKSTEP_CUDA cudaMemcpyPeerAsync(void *, int, const void *, int, size_t, cudaStream_t = nullptr);
__LOCKSTEP_CUDA cudaMemcpy2D(void *, size_t, const void *, size_t, size_t, size_t, cudaMemcpyKind);
__LOCKSTEP_CUDA cudaMemcpy2DAsync(void *, size_t, const void *, size_t, size_t, size_t, cudaMemcpyKind, cudaStream_t = nullptr);
__LOCKSTEP_CUDA cudaMemcpy3D(const cudaMemcpy3DParms *);
__LOCKSTEP_CUDA cudaMemcpy3DAsync(const cudaMemcpy3DParms *, cudaStream_t = nullptr);
__LOCKSTEP_CUDA cudaMemset(void *, int, size_t);
__LOCKSTEP_CUDA cudaMemset2D(void *, size_t, int, size_t, size_t);
__LOCKSTEP_CUDA cudaMemset2DAsync(void *, size_t, int, size_t, size_t, cudaStream_t = nullptr);
__LOCKSTEP_CUDA cudaMemset3D(cudaPitchedPtr, int, cudaExtent);
__LOCKSTEP_CUDA cudaMemcpyToArray(cudaArray_t, size_t, size_t, const void *, size_t, cudaMemcpyKind);
__LOCKSTEP_CUDA cudaMemcpy2DToArray(cudaArray_t, size_t, size_t, const void *, size_t, size_t, size_t, cudaMemcpyKind);
__LOCKSTEP_CUDA cudaMemcpyFromArray(void *, cudaArray_const_t, size_t, size_t, size_t, cudaMemcpyKind);
__LOCKSTEP_CUDA cudaMemcpy2DFromArray(void *, size_t, cudaArray_const_t, size_t, size_t, size_t, size_t, cudaMemcpyKind);
__LOCKSTEP_CUDA cudaMemcpyToArrayAsync(cudaArray_t, size_t, size_t, const void *, size_t, cudaMemcpyKind, cudaStream_t = nullptr);
__LOCKSTEP_CUDA cudaMemcpyFromArrayAsync(void *, cudaArray_const_t, size_t, size_t, size_t, cudaMemcpyKind, cudaStream_t = nullptr);
__LOCKSTEP_CUDA cudaMemcpy2DToArrayAsync(cudaArray_t, size_t, size_t, const void *, size_t, size_t, size_t, cudaMemcpyKind, cudaStream_t = nullptr);
__LOCKSTEP_CUDA cudaMemcpy2DFromArrayAsync(void *, size_t, cudaArray_const_t, size_t, size_t, size_t, size_t, cudaMemcpyKind, cudaStream_t = nullptr);
__LOCKSTEP_CUDA cudaFreeArray(cudaArray_t);
__LOCKSTEP_CUDA cudaIpcGetMemHandle(cudaIpcMemHandle_t *, void *);
__LOCKSTEP_CUDA cudaIpcOpenMemHandle(void **, cudaIpcMemHandle_t, unsigned);
__LOCKSTEP_CUDA cudaIpcCloseMemHandle(void *);

__LOCKSTEP_CUDA cudaStreamCreate(cudaStream_t *);
__LOCKSTEP_CUDA cudaStreamCreateWithPriority(cudaStream_t *, unsigned, int);
__LOCKSTEP_CUDA cudaStreamSynchronize(cudaStream_t);
__LOCKSTEP_CUDA cudaStreamQuery(cudaStream_t);
__LOCKSTEP_CUDA cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned = 0);
__LOCKSTEP_CUDA cudaStreamSetAttribute(cudaStream_t, cudaStreamAttrID, const cudaStreamAttrValue *);
__LOCKSTEP_CUDA cudaStreamGetAttribute(cudaStream_t, cudaStreamAttrID, cudaStreamAttrValue *);
__LOCKSTEP_CUDA cudaCtxResetPersistingL2Cache();
__LOCKSTEP_CUDA cudaStreamAddCallback(cudaStream_t, cudaStreamCallback_t, void *, unsigned);
__LOCKSTEP_CUDA cudaStreamBeginCapture(cudaStream_t, cudaStreamCaptureMode);
__LOCKSTEP_CUDA cudaStreamEndCapture(cudaStream_t, cudaGraph_t *);
__LOCKSTEP_CUDA cudaStreamIsCapturing(cudaStream_t, cudaStreamCaptureStatus *);
__LOCKSTEP_CUDA cudaLaunchHostFunc(cudaStream_t, cudaHostFn_t, void *);
__LOCKSTEP_CUDA cudaEventCreateWithFlags(cudaEvent_t *, unsigned);
__LOCKSTEP_CUDA cudaEventDestroy(cudaEvent_t);
__LOCKSTEP_CUDA cudaEventSynchronize(cudaEvent_t);
__LOCKSTEP_CUDA cudaEventQuery(cudaEvent_t);
__LOCKSTEP_CUDA cudaEventElapsedTime(float *, cudaEvent_t, cudaEvent_t);
inline cudaError_t cudaEventCreate(cudaEvent_t *e, unsigned flags = 0) { return cudaEventCreateWithFlags(e, flags); }

__LOCKSTEP_CUDA cudaGraphCreate(cudaGraph_t *, unsigned);
__LOCKSTEP_CUDA cudaGraphLaunch(cudaGraphExec_t, cudaStream_t);
__LOCKSTEP_CUDA cudaGraphDestroy(cudaGraph_t);
__LOCKSTEP_CUDA cudaGraphExecDestroy(cudaGraphExec_t);
__LOCKSTEP_CUDA cudaGraphUpload(cudaGraphExec_t, cudaStream_t);
__LOCKSTEP_CUDA cudaGraphClone(cudaGraph_t *, cudaGraph_t);
__LOCKSTEP_CUDA cudaGraphInstantiateWithFlags(cudaGraphExec_t *, cudaGraph_t, unsigned long long = 0);
__LOCKSTEP_CUDA cudaGraphGetNodes(cudaGraph_t, cudaGraphNode_t *, size_t *);
__LOCKSTEP_CUDA cudaGraphAddDependencies(cudaGraph_t, const cudaGraphNode_t *, const cudaGraphNode_t *, size_t);
__LOCKSTEP_CUDA cudaGraphAddEmptyNode(cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *, size_t);
__LOCKSTEP_CUDA cudaGraphAddChildGraphNode(cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *, size_t, cudaGraph_t);
__LOCKSTEP_CUDA cudaGraphAddMemcpyNode(cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *, size_t, const cudaMemcpy3DParms *);
__LOCKSTEP_CUDA cudaGraphAddMemcpyNode1D(cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *, size_t, void *, const void *, size_t, cudaMemcpyKind);
__LOCKSTEP_CUDA cudaGraphAddMemsetNode(cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *, size_t, const cudaMemsetParams *);
__LOCKSTEP_CUDA cudaGraphAddHostNode(cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *, size_t, const cudaHostNodeParams *);
__LOCKSTEP_CUDA cudaGraphAddKernelNode(cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *, size_t, const cudaKernelNodeParams *);
__LOCKSTEP_CUDA cudaGraphExecKernelNodeSetParams(cudaGraphExec_t, cudaGraphNode_t, const cudaKernelNodeParams *);
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t, cudaGraph_t, cudaGraphExecUpdateResultInfo *);
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t, cudaGraph_t, cudaGraphNode_t *, cudaGraphExecUpdateResult *);
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *, cudaGraph_t, unsigned long long = 0);
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *, cudaGraph_t, cudaGraphNode_t *, char *, size_t);

// The runtime's C++ layer: typed pointers, symbols, and kernels by name.
template <class T> cudaError_t cudaMalloc(T **p, size_t n) { return cudaMalloc((void **)p, n); }
template <class T> cudaError_t cudaMallocHost(T **p, size_t n, unsigned = 0) { return cudaMallocHost((void **)p, n); }
template <class T> cudaError_t cudaHostAlloc(T **p, size_t n, unsigned f) { return cudaHostAlloc((void **)p, n, f); }
template <class T> cudaError_t cudaHostGetDevicePointer(T **p, void *h, unsigned f) { return cudaHostGetDevicePointer((void **)p, h, f); }
template <class T> cudaError_t cudaMallocManaged(T **p, size_t n, unsigned f = cudaMemAttachGlobal) { return cudaMallocManaged((void **)p, n, f); }
template <class T> cudaError_t cudaMallocAsync(T **p, size_t n, cudaStream_t s) { return cudaMallocAsync((void **)p, n, s); }
template <class T> cudaError_t cudaMallocPitch(T **p, size_t *pitch, size_t w, size_t h) { return cudaMallocPitch((void **)p, pitch, w, h); }
template <class T> cudaError_t cudaMemcpyToSymbol(const T &, const void *, size_t, size_t = 0, cudaMemcpyKind = cudaMemcpyHostToDevice);
template <class T> cudaError_t cudaMemcpyToSymbolAsync(const T &, const void *, size_t, size_t, cudaMemcpyKind, cudaStream_t = nullptr);
template <class T> cudaError_t cudaMemcpyFromSymbol(void *, const T &, size_t, size_t = 0, cudaMemcpyKind = cudaMemcpyDeviceToHost);
template <class T> cudaError_t cudaMemcpyFromSymbolAsync(void *, const T &, size_t, size_t, cudaMemcpyKind, cudaStream_t = nullptr);
template <class T> cudaError_t cudaGetSymbolAddress(void **, const T &);
template <class T> cudaError_t cudaGetSymbolSize(size_t *, const T &);
template <class F> cudaError_t cudaFuncSetAttribute(F, cudaFuncAttribute, int);
template <class F> cudaError_t cudaFuncSetCacheConfig(F, cudaFuncCache);
template <class F> cudaError_t cudaFuncSetSharedMemConfig(F, cudaSharedMemConfig);
template <class F> cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *, F);
template <class F> cudaError_t cudaLaunchKernel(F *, dim3, dim3, void **, size_t = 0, cudaStream_t = nullptr);
template <class F> cudaError_t cudaLaunchCooperativeKernel(F *, dim3, dim3, void **, size_t = 0, cudaStream_t = nullptr);
extern "C" cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *, const void *, void **);
#if defined(__LOCKSTEP_PROGRAM__) || defined(__LOCKSTEP_HOST_RUNS__)
template <class... P, class... A> cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *, void (*)(P...), A &&...);
#else
// Attributes change when and where blocks run, not what a launch is.
template <class... P, class... A> cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *c, void (*kernel)(P...), A &&...values) {
  return [&](P... given) {
    void *arguments[] = {(void *)&given..., nullptr};
    return cudaLaunchKernel((const void *)kernel, c->gridDim, c->blockDim, arguments, c->dynamicSmemBytes, c->stream);
  }(static_cast<A &&>(values)...);
}
#endif
template <class F> cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *, F, int, size_t);
template <class F> cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *, F, int, size_t, unsigned);
template <class F> cudaError_t cudaOccupancyMaxPotentialBlockSize(int *, int *, F, size_t = 0, int = 0);
template <class U, class F> cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *, int *, F, U, int = 0);
template <class F> cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *, F, int, int);

#undef __LOCKSTEP_CUDA
#undef __LOCKSTEP_CUDA_HD
