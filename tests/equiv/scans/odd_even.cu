// reference: scans.c:insertion_sort
// launch: --block 2 --grid 1 --arg n=4 --arg x=i32[4]:symbolic
// expect[odd_even]: equivalent
// expect[odd_even_short]: mismatch
__global__ void odd_even(int *x, int n) {
  for (int round = 0; round < n; round++) {
    int i = 2 * threadIdx.x + (round & 1);
    if (i + 1 < n) {
      int a = x[i], b = x[i + 1];
      x[i] = min(a, b);
      x[i + 1] = max(a, b);
    }
    __syncthreads();
  }
}

// Two rounds too few.
__global__ void odd_even_short(int *x, int n) {
  for (int round = 0; round < n - 2; round++) {
    int i = 2 * threadIdx.x + (round & 1);
    if (i + 1 < n) {
      int a = x[i], b = x[i + 1];
      x[i] = min(a, b);
      x[i + 1] = max(a, b);
    }
    __syncthreads();
  }
}
