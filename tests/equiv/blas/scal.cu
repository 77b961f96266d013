// reference: level1.c:scal
// launch: --block 32 --grid 2 --arg n=33 --arg a=symbolic --arg x=f64[33]:symbolic
// expect[scal]: equivalent
// expect[scal_single]: mismatch
__global__ void scal(double *x, double a, int n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] *= a;
}

// In single precision.
__global__ void scal_single(double *x, double a, int n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] = (float)x[i] * (float)a;
}
