// reference: data.c:horner
// launch: --block 8 --grid 1 --arg n=8 --arg degree=4 --arg x=f64[8]:symbolic --arg c=f64[5]:symbolic --arg out=f64[8]
// expect[horner]: equivalent
// expect[horner_fused]: mismatch by rounding
// expect[horner_powers]: close 1e-9
// expect[horner_from_below]: mismatch
__global__ void horner(double *out, const double *x, const double *c, int degree) {
  double v = x[threadIdx.x], sum = c[degree];
  while (degree-- > 0)
    sum = c[degree] + v * sum;
  out[threadIdx.x] = sum;
}

__global__ void horner_fused(double *out, const double *x, const double *c, int degree) {
  double v = x[threadIdx.x], sum = c[degree];
  while (degree-- > 0)
    sum = fma(sum, v, c[degree]);
  out[threadIdx.x] = sum;
}

__global__ void horner_powers(double *out, const double *x, const double *c, int degree) {
  double v = x[threadIdx.x], sum = 0, power = 1;
  for (int k = 0; k <= degree; k++, power *= v)
    sum += c[k] * power;
  out[threadIdx.x] = sum;
}

__global__ void horner_from_below(double *out, const double *x, const double *c, int degree) {
  double v = x[threadIdx.x], sum = c[0];
  for (int k = 1; k <= degree; k++)
    sum = sum * v + c[k];
  out[threadIdx.x] = sum;
}
