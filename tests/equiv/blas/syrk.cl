// reference: level23.c:syrk
// launch: --block 4,4 --grid 1,1 --arg n=4 --arg k=3 --arg alpha=symbolic --arg beta=symbolic --arg a=f32[12]:symbolic --arg c=f32[16]:symbolic
// expect[syrk]: equivalent
// expect[syrk_whole]: mismatch
__kernel void syrk(__global float *c, __global const float *a, float alpha, float beta, int n, int k) {
  int j = get_global_id(0), i = get_global_id(1);
  if (j > i)
    return;
  float sum = 0;
  for (int p = 0; p < k; p++)
    sum += a[i * k + p] * a[j * k + p];
  c[i * n + j] = alpha * sum + beta * c[i * n + j];
}

// The upper triangle must stay as it is.
__kernel void syrk_whole(__global float *c, __global const float *a, float alpha, float beta, int n, int k) {
  int j = get_global_id(0), i = get_global_id(1);
  float sum = 0;
  for (int p = 0; p < k; p++)
    sum += a[i * k + p] * a[j * k + p];
  c[i * n + j] = alpha * sum + beta * c[i * n + j];
}
