// What of the header is to be checked: a template has kernels only where it is instantiated.
#include "lastblock.cuh"

template __global__ void lastblock::reduce<float, 64>(const float *, int, float *, unsigned *, float *, Plus);
template __global__ void lastblock::reduce<int, 64>(const int *, int, int *, unsigned *, int *, Plus);
