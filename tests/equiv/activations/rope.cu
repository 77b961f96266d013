// reference: norms.c:rope
// launch: --block 4 --grid 3 --arg positions=3 --arg half=4 --arg cosines=f32[12]:symbolic --arg sines=f32[12]:symbolic --arg x=f32[24]:symbolic
// expect[rope]: equivalent
// expect[rope_halves]: mismatch
// expect[rope_sign]: mismatch
__global__ void rope(float2 *x, const float *cosines, const float *sines, int half) {
  int i = blockIdx.x * half + threadIdx.x;
  float2 v = x[i];
  float c = cosines[i], s = sines[i];
  x[i] = make_float2(v.x * c - v.y * s, v.x * s + v.y * c);
}

// The pairs are the two halves of a head, not neighbours.
__global__ void rope_halves(float *x, const float *cosines, const float *sines, int half) {
  int i = blockIdx.x * half + threadIdx.x, at = blockIdx.x * 2 * half + threadIdx.x;
  float a = x[at], b = x[at + half], c = cosines[i], s = sines[i];
  x[at] = a * c - b * s;
  x[at + half] = a * s + b * c;
}

__global__ void rope_sign(float2 *x, const float *cosines, const float *sines, int half) {
  int i = blockIdx.x * half + threadIdx.x;
  float2 v = x[i];
  float c = cosines[i], s = sines[i];
  x[i] = make_float2(v.x * c + v.y * s, v.y * c - v.x * s);
}
