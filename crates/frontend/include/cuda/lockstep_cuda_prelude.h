// Lockstep's CUDA prelude: what nvcc would have included by itself before the first line of a .cu file.
// It lets clang compile device code, and type-check host code, without a CUDA SDK.
#pragma once
#pragma GCC system_header

#ifndef __clang__
#error "lockstep_cuda_prelude.h is for clang"
#endif

// A plain C++ file of a program that is run has the runtime's functions, and no device code.
#ifndef __CUDA__
#include "lockstep/plain_host.h"
#else

// nvcc takes `register` as a hint also where C++17 has removed it.
#pragma clang diagnostic ignored "-Wregister"

#include "lockstep/qualifiers.h"

#include "lockstep/math.h"
#include "lockstep/system.h"
#include "lockstep/vector_types.h"
#include "lockstep/builtin_vars.h"
#include "lockstep/device_functions.h"
#include "lockstep/simd.h"
#include "lockstep/barriers.h"
#include "lockstep/warp.h"
#include "lockstep/atomics.h"
#include "lockstep/memory.h"
#include "lockstep/device_runtime.h"
#include "lockstep/host_api.h"
#include "lockstep/texture.h"
#include "lockstep/annotations.h"

// CUDA's own headers bring std::forward and the type traits along.
#include <utility>

// Set where a program is compiled to be run.
#ifdef __LOCKSTEP_PROGRAM__
#include "lockstep/host_program.h"
#endif

// Set by the front end for a file with GPUVerify's head comment.
#ifdef __LOCKSTEP_GPUVERIFY
#include "lockstep/gpuverify.h"
#endif

#endif
