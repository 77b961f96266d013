// For a source that writes __device__ before a __shared__ variable of a function, which nvcc accepts and clang does
// not. Without the word, functions are for both sides.
#pragma once
#pragma clang force_cuda_host_device begin
#undef __device__
#define __device__
