// reference: data.c:quantise
// launch: --block 8 --grid 1 --arg n=8 --arg scale=symbolic --arg x=f32[8]:symbolic --arg out=i8[8]
// expect[quantise]: equivalent
// expect[quantise_truncates]: mismatch
// expect[quantise_by_division]: mismatch
__global__ void quantise(signed char *out, const float *x, float scale) {
  float v = rintf(x[threadIdx.x] * scale);
  out[threadIdx.x] = (signed char)fminf(fmaxf(v, -127.0f), 127.0f);
}

__global__ void quantise_truncates(signed char *out, const float *x, float scale) {
  float v = truncf(x[threadIdx.x] * scale);
  out[threadIdx.x] = (signed char)fminf(fmaxf(v, -127.0f), 127.0f);
}

// A scale is not its inverse.
__global__ void quantise_by_division(signed char *out, const float *x, float scale) {
  float v = rintf(x[threadIdx.x] / scale);
  out[threadIdx.x] = (signed char)fminf(fmaxf(v, -127.0f), 127.0f);
}
