// reference: data.c:butterflies
// launch: --block 4 --grid 1 --arg n=8 --arg re=f32[8]:symbolic --arg im=f32[8]:symbolic --arg wr=f32[4]:symbolic --arg wi=f32[4]:symbolic
// expect[butterflies]: equivalent
// expect[butterflies_inverse]: mismatch
__global__ void butterflies(float *re, float *im, const float *wr, const float *wi, int n) {
  int k = threadIdx.x, h = k + n / 2;
  float tr = wr[k] * re[h] - wi[k] * im[h], ti = wr[k] * im[h] + wi[k] * re[h];
  re[h] = re[k] - tr, im[h] = im[k] - ti;
  re[k] += tr, im[k] += ti;
}

__global__ void butterflies_inverse(float *re, float *im, const float *wr, const float *wi, int n) {
  int k = threadIdx.x, h = k + n / 2;
  float tr = wr[k] * re[h] + wi[k] * im[h], ti = wr[k] * im[h] - wi[k] * re[h];
  re[h] = re[k] - tr, im[h] = im[k] - ti;
  re[k] += tr, im[k] += ti;
}
