// reference: pointwise.c:silu
// launch: --block 16 --grid 1 --arg n=16 --arg x=f32[16]:symbolic --arg out=f32[16]
// expect[silu]: equivalent
// expect[silu_by_product]: mismatch by rounding
// expect[silu_sign]: mismatch
__global__ void silu(float *out, const float *x) {
  float v = x[threadIdx.x];
  out[threadIdx.x] = v / (expf(-v) + 1.0f);
}

__global__ void silu_by_product(float *out, const float *x) {
  float v = x[threadIdx.x];
  out[threadIdx.x] = v * (1.0f / (1.0f + expf(-v)));
}

__global__ void silu_sign(float *out, const float *x) {
  float v = x[threadIdx.x];
  out[threadIdx.x] = v / (1.0f + expf(v));
}
