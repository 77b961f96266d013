// The same with its barrier; a kernel that needs the library itself is not looked at.
// exit: 3
#include <collectives/collectives.h>

template <int N> __global__ void reverse(float *a) {
  __shared__ float part[N];
  part[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  a[threadIdx.x] = part[N - 1 - threadIdx.x];
}

__global__ void sum(float *a) { collectives::sum_of_block(a[threadIdx.x]); }

void reverse_all(float *a) { reverse<64><<<1, 64>>>(a); }

int main() {
  float *a;
  cudaMalloc(&a, 64 * sizeof(float));
  reverse_all(a);
  sum<<<1, 64>>>(a);
  return collectives::end();
}
