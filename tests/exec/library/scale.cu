#include "shared.h"
static __device__ int local = 10;
__device__ int scaled(int x) { return x * local; }
