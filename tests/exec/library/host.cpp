// A plain C++ file of a CUDA program, with headers of which device code has forms of its own.
#include <cmath>
#include <complex>
#include <cuda_runtime.h>
#include <new>

int five(cudaError_t status) {
    alignas(int) char room[sizeof(int)];
    int *made = new (room) int(status == cudaSuccess ? 3 : 0);
    double one = std::beta(1.0, 1.0);
    return *made + int(one + std::abs(std::complex<double>(0.0, 1.0)));
}
