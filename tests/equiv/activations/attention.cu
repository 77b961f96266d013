// One block; a thread for each key first, and then for each element of the result.
//
// reference: norms.c:attention
// launch: --block 4 --grid 1 --arg keys=4 --arg width=3 --arg scale=symbolic --arg q=f32[3]:symbolic --arg k=f32[12]:symbolic --arg v=f32[12]:symbolic --arg out=f32[3]
// expect[attention]: equivalent
// expect[attention_flash]: close 1e-4
// expect[attention_without_scale]: mismatch
__global__ void attention(float *out, const float *q, const float *k, const float *v, float scale, int keys,
                          int width) {
  __shared__ float scores[4];
  int t = threadIdx.x;
  float s = 0;
  for (int d = 0; d < width; d++)
    s += q[d] * k[t * width + d];
  scores[t] = s * scale;
  __syncthreads();
  float largest = -INFINITY, sum = 0;
  for (int i = 0; i < keys; i++)
    largest = fmaxf(largest, scores[i]);
  for (int i = 0; i < keys; i++)
    sum += expf(scores[i] - largest);
  if (t < width) {
    float o = 0;
    for (int i = 0; i < keys; i++)
      o += expf(scores[i] - largest) / sum * v[i * width + t];
    out[t] = o;
  }
}

// The result is scaled while the maximum grows, and divided once.
__global__ void attention_flash(float *out, const float *q, const float *k, const float *v, float scale, int keys,
                                int width) {
  int t = threadIdx.x;
  if (t >= width)
    return;
  float largest = -INFINITY, sum = 0, o = 0;
  for (int i = 0; i < keys; i++) {
    float s = 0;
    for (int d = 0; d < width; d++)
      s += q[d] * k[i * width + d];
    s *= scale;
    float now = fmaxf(largest, s), shrink = expf(largest - now), e = expf(s - now);
    sum = sum * shrink + e;
    o = o * shrink + e * v[i * width + t];
    largest = now;
  }
  out[t] = o / sum;
}

__global__ void attention_without_scale(float *out, const float *q, const float *k, const float *v, int keys,
                                        int width) {
  __shared__ float scores[4];
  int t = threadIdx.x;
  float s = 0;
  for (int d = 0; d < width; d++)
    s += q[d] * k[t * width + d];
  scores[t] = s;
  __syncthreads();
  float largest = -INFINITY, sum = 0;
  for (int i = 0; i < keys; i++)
    largest = fmaxf(largest, scores[i]);
  for (int i = 0; i < keys; i++)
    sum += expf(scores[i] - largest);
  if (t < width) {
    float o = 0;
    for (int i = 0; i < keys; i++)
      o += expf(scores[i] - largest) / sum * v[i * width + t];
    out[t] = o;
  }
}
