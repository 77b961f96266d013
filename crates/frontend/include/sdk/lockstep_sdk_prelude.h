// With a CUDA SDK, the SDK's own headers are the prelude; only GPUVerify's annotations are still ours.
#pragma once
#pragma GCC system_header
#define __LOCKSTEP_DEVICE static __attribute__((device)) inline __attribute__((always_inline, unused))
#define __LOCKSTEP_OPAQUE extern "C" __attribute__((device))
#include "../cuda/lockstep/annotations.h"
#undef __LOCKSTEP_DEVICE
#undef __LOCKSTEP_OPAQUE
