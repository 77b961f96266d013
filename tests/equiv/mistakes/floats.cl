// Tiles, vectors and conversions in OpenCL.
//
// launch: --block 4 --grid 1
// reference[tr]: floats.c:transpose_
// launch[tr]: --arg rows=5 --arg cols=3 --arg in=f32[15]:symbolic --arg out=f32[15] --grid 2,2 --block 4,4
// expect[tr]: equivalent
// reference[tr_w]: floats.c:transpose_
// launch[tr_w]: --arg rows=5 --arg cols=3 --arg in=f32[15]:symbolic --arg out=f32[15] --grid 2,2 --block 4,4
// expect[tr_w]: data-race
// reference[mm]: floats.c:mm
// launch[mm]: --arg m=3 --arg n=5 --arg k=6 --arg a=f32[18]:symbolic --arg b=f32[30]:symbolic --arg c=f32[15] --grid 2,1 --block 4,4
// expect[mm]: equivalent
// reference[mm_pad]: floats.c:mm
// launch[mm_pad]: --arg m=3 --arg n=5 --arg k=6 --arg a=f32[18]:symbolic --arg b=f32[30]:symbolic --arg c=f32[15] --grid 2,1 --block 4,4
// expect[mm_pad]: equivalent under positive-zero
// reference[mm_tail]: floats.c:mm
// launch[mm_tail]: --arg m=3 --arg n=5 --arg k=6 --arg a=f32[18]:symbolic --arg b=f32[30]:symbolic --arg c=f32[15] --grid 2,1 --block 4,4
// expect[mm_tail]: mismatch
// reference[mm_race]: floats.c:mm
// launch[mm_race]: --arg m=3 --arg n=5 --arg k=6 --arg a=f32[18]:symbolic --arg b=f32[30]:symbolic --arg c=f32[15] --grid 2,1 --block 4,4
// expect[mm_race]: data-race
// reference[round_]: floats.c:round_
// launch[round_]: --arg n=4 --arg x=f32[4]:symbolic --arg out=i32[4]
// expect[round_]: mismatch
// reference[round_w]: floats.c:round_
// launch[round_w]: --arg n=4 --arg x=f32[4]:symbolic --arg out=i32[4]
// expect[round_w]: mismatch
// reference[clampf]: floats.c:clampf
// launch[clampf]: --arg n=4 --arg x=f32[4]:symbolic --arg out=f32[4]
// expect[clampf]: equivalent
// reference[mix_w]: floats.c:mix_
// launch[mix_w]: --arg n=4 --arg a=f32[4]:symbolic --arg b=f32[4]:symbolic --arg t=symbolic --arg out=f32[4]
// expect[mix_w]: mismatch
// reference[to_u8]: floats.c:to_u8
// launch[to_u8]: --arg n=4 --arg x=f32[4]:symbolic --arg out=u8[4]
// expect[to_u8]: equivalent
// reference[mm4]: floats.c:minus
// launch[mm4]: --arg n=4 --arg a=f32[4]:symbolic --arg b=f32[4]:symbolic --arg out=f32[4] --block 1
// expect[mm4]: equivalent
// reference[mm4_w]: floats.c:minus
// launch[mm4_w]: --arg n=4 --arg a=f32[4]:symbolic --arg b=f32[4]:symbolic --arg out=f32[4] --block 1
// expect[mm4_w]: mismatch
// reference[maxf_w]: floats.c:maxf
// launch[maxf_w]: --arg n=4 --arg x=f32[4]:symbolic --arg out=f32[1]
// expect[maxf_w]: mismatch rarely
// reference[isneg_w]: floats.c:isneg
// launch[isneg_w]: --arg n=4 --arg x=f32[4]:symbolic --arg out=i32[4]
// expect[isneg_w]: equivalent
// reference[sizes]: floats.c:size_sum
// launch[sizes]: --arg n=4 --arg x=u32[4]:symbolic --arg out=u64[1]
// expect[sizes]: equivalent
// reference[sizes_w]: floats.c:size_sum
// launch[sizes_w]: --arg n=4 --arg x=u32[4]:symbolic --arg out=u64[1]
// expect[sizes_w]: mismatch
// reference[third]: floats.c:third
// launch[third]: --arg n=4 --arg x=f32[4]:symbolic --arg out=f32[4]
// expect[third]: equivalent
__kernel void tr(__global float *out, __global const float *in, int rows, int cols) {
  __local float tile[4][5];
  int c = get_group_id(0) * 4 + get_local_id(0), r = get_group_id(1) * 4 + get_local_id(1);
  if (r < rows && c < cols) tile[get_local_id(1)][get_local_id(0)] = in[r * cols + c];
  barrier(CLK_LOCAL_MEM_FENCE);
  int c2 = get_group_id(1) * 4 + get_local_id(0), r2 = get_group_id(0) * 4 + get_local_id(1);
  if (r2 < cols && c2 < rows) out[r2 * rows + c2] = tile[get_local_id(0)][get_local_id(1)];
}

__kernel void tr_w(__global float *out, __global const float *in, int rows, int cols) {
  __local float tile[4][5];
  int c = get_group_id(0) * 4 + get_local_id(0), r = get_group_id(1) * 4 + get_local_id(1);
  if (r < rows && c < cols) tile[get_local_id(1)][get_local_id(0)] = in[r * cols + c];
  barrier(CLK_LOCAL_MEM_FENCE);
  int c2 = get_group_id(1) * 4 + get_local_id(0), r2 = get_group_id(0) * 4 + get_local_id(1);
  if (r2 < cols && c2 < rows) out[r2 * cols + c2] = tile[get_local_id(0)][get_local_id(1)];
}

__kernel void mm(__global float *c, __global const float *a, __global const float *b, int m, int n, int k) {
  __local float sa[4][4], sb[4][4];
  int x = get_local_id(0), y = get_local_id(1), col = get_global_id(0), row = get_global_id(1);
  float s = 0;
  for (int t = 0; t < k; t += 4) {
    sa[y][x] = row < m && t + x < k ? a[row * k + t + x] : 0;
    sb[y][x] = col < n && t + y < k ? b[(t + y) * n + col] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int l = 0; l < 4 && t + l < k; l++) s += sa[y][l] * sb[l][x];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (row < m && col < n) c[row * n + col] = s;
}

__kernel void mm_pad(__global float *c, __global const float *a, __global const float *b, int m, int n, int k) {
  __local float sa[4][4], sb[4][4];
  int x = get_local_id(0), y = get_local_id(1), col = get_global_id(0), row = get_global_id(1);
  float s = 0;
  for (int t = 0; t < k; t += 4) {
    sa[y][x] = row < m && t + x < k ? a[row * k + t + x] : 0;
    sb[y][x] = col < n && t + y < k ? b[(t + y) * n + col] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int l = 0; l < 4; l++) s += sa[y][l] * sb[l][x];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (row < m && col < n) c[row * n + col] = s;
}

__kernel void mm_tail(__global float *c, __global const float *a, __global const float *b, int m, int n, int k) {
  __local float sa[4][4], sb[4][4];
  int x = get_local_id(0), y = get_local_id(1), col = get_global_id(0), row = get_global_id(1);
  float s = 0;
  for (int t = 0; t < k / 4 * 4; t += 4) {
    sa[y][x] = row < m ? a[row * k + t + x] : 0;
    sb[y][x] = col < n ? b[(t + y) * n + col] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int l = 0; l < 4; l++) s += sa[y][l] * sb[l][x];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (row < m && col < n) c[row * n + col] = s;
}

__kernel void mm_race(__global float *c, __global const float *a, __global const float *b, int m, int n, int k) {
  __local float sa[4][4], sb[4][4];
  int x = get_local_id(0), y = get_local_id(1), col = get_global_id(0), row = get_global_id(1);
  float s = 0;
  for (int t = 0; t < k; t += 4) {
    sa[y][x] = row < m && t + x < k ? a[row * k + t + x] : 0;
    sb[y][x] = col < n && t + y < k ? b[(t + y) * n + col] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int l = 0; l < 4 && t + l < k; l++) s += sa[y][l] * sb[l][x];
  }
  if (row < m && col < n) c[row * n + col] = s;
}

__kernel void round_(__global int *out, __global const float *x) {
  int i = get_global_id(0);
  out[i] = convert_int_rte(x[i]);
}

__kernel void round_w(__global int *out, __global const float *x) {
  int i = get_global_id(0);
  out[i] = convert_int(round(x[i]));
}

__kernel void clampf(__global float *out, __global const float *x) {
  int i = get_global_id(0);
  out[i] = clamp(x[i], 0.0f, 1.0f);
}

__kernel void mix_w(__global float *out, __global const float *a, __global const float *b, float t) {
  int i = get_global_id(0);
  out[i] = mix(a[i], b[i], t);
}

__kernel void to_u8(__global uchar *out, __global const float *x) {
  int i = get_global_id(0);
  out[i] = convert_uchar_sat(x[i] * 255.0f + 0.5f);
}

__kernel void mm4(__global float4 *out, __global const float4 *a, __global const float4 *b) {
  out[0] = a[0] - b[0];
}

__kernel void mm4_w(__global float4 *out, __global const float4 *a, __global const float4 *b) {
  float4 r = a[0] - b[0];
  out[0] = r.xyyw;
}

__kernel void maxf_w(__global float *out, __global const float *x) {
  __local float s[4];
  int i = get_local_id(0);
  s[i] = x[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (i == 0) {
    float m = -FLT_MAX;
    for (int k = 0; k < 4; k++) m = fmax(m, s[k]);
    *out = m;
  }
}

__kernel void isneg_w(__global int *out, __global const float *x) {
  int i = get_global_id(0);
  out[i] = signbit(x[i]);
}

__kernel void sizes(__global ulong *out, __global const uint *x, ulong n) {
  if (get_global_id(0) == 0) {
    ulong s = 0;
    for (ulong i = 0; i < n; i++) s += x[i];
    *out = s;
  }
}

__kernel void sizes_w(__global ulong *out, __global const uint *x, ulong n) {
  if (get_global_id(0) == 0) {
    uint s = 0;
    for (ulong i = 0; i < n; i++) s += x[i];
    *out = s;
  }
}

__kernel void third(__global float *out, __global const float *x) {
  int i = get_global_id(0);
  out[i] = x[i] / 3.0f;
}
