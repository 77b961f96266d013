// The host needs a library that is not installed. Its header is taken as empty, what the host does with it is left out, and
// the kernel and its launch are looked at.
#include <collectives/collectives.h>

static collectives_t everyone;

template <int N> __global__ void reverse(float *a) {
  __shared__ float part[N];
  part[threadIdx.x] = a[threadIdx.x]; //~ data-race
  a[threadIdx.x] = part[N - 1 - threadIdx.x]; //~ data-race
}

void reverse_all(float *a) { reverse<64><<<1, 64>>>(a); }

int main() {
  float *a;
  collectives_begin(&everyone);
  cudaMalloc(&a, 64 * sizeof(float));
  reverse_all(a);
  collectives_sum(everyone, a, 64);
  return collectives_end(everyone);
}
