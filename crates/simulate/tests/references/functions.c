// Functions that are run natively and by the simulator. Those called `approximate_…` may differ in the last bits: the
// maths library of the machine is not the simulator's.
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void add(float *a, const float *b, const float *c, int n) {
  for (int i = 0; i < n; i++)
    a[i] = b[i] + c[i];
}

void multiply_add(float *a, const float *b, const float *c, int n) {
  for (int i = 0; i < n; i++)
    a[i] = a[i] * b[i] + c[i];
}

void fused(float *a, const float *b, const float *c, int n) {
  for (int i = 0; i < n; i++)
    a[i] = fmaf(a[i], b[i], c[i]);
}

void fused_double(double *a, const double *b, const double *c, int n) {
  for (int i = 0; i < n; i++)
    a[i] = fma(a[i], b[i], c[i]) / (b[i] + 0.25);
}

void divide(float *a, const float *b, const float *c, int n) {
  for (int i = 0; i < n; i++)
    a[i] = b[i] / c[i] - 1.0f / b[i];
}

void mixed_precision(float *a, const float *b, const double *c, int n) {
  for (int i = 0; i < n; i++)
    a[i] = b[i] * c[i] + 1.5;
}

void roots(float *a, const float *b, const double *c, int n) {
  for (int i = 0; i < n; i++)
    a[i] = sqrtf(fabsf(b[i])) + (float)sqrt(fabs(c[i]));
}

void roundings(float *a, const float *b, const double *c, int n) {
  for (int i = 0; i < n; i++) {
    a[4 * i] = floorf(b[i]) + ceilf(c[i]);
    a[4 * i + 1] = truncf(b[i]) * (float)round(c[i]);
    a[4 * i + 2] = rintf(b[i] * 0.5f);
    a[4 * i + 3] = nearbyintf(b[i]) + roundf(b[i] + 0.5f);
  }
}

void extremes(float *a, const float *b, const float *c, int n) {
  for (int i = 0; i < n; i++)
    // Which of two zeros is larger is not defined.
    a[i] = fmaxf(fminf(b[i], c[i]), -2.0f) + 1.0f + (b[i] > c[i] ? b[i] : c[i]);
}

void signs(float *a, const float *b, const float *c, int n) {
  for (int i = 0; i < n; i++)
    a[i] = copysignf(b[i], c[i]) + (signbit(b[i]) ? 1.0f : 0.0f) + fdimf(b[i], c[i]);
}

void classes(int *a, const float *b, const float *c, int n) {
  for (int i = 0; i < n; i++)
    a[i] = isnan(b[i] / c[i]) + 2 * isinf(b[i] * FLT_MAX) + 4 * isfinite(c[i]) + 8 * isnormal(b[i] * FLT_MIN) +
           16 * (b[i] != b[i]) + 32 * isgreater(b[i], c[i]);
}

void remainders(float *a, const float *b, const float *c, int n) {
  for (int i = 0; i < n; i++)
    a[i] = fmodf(b[i], c[i] + 3.0f) + remainderf(c[i], b[i]);
}

void parts(float *a, const float *b, int *c, int n) {
  for (int i = 0; i < n; i++) {
    float whole;
    a[i] = modff(b[i], &whole) + whole * 0.5f + frexpf(b[i], &c[i]) + ldexpf(b[i], c[i] & 7);
  }
}

void to_integers(int *a, const float *b, const double *c, int n) {
  for (int i = 0; i < n; i++)
    a[i] = (int)b[i] + (int)lrintf(b[i]) + (int)lround(c[i]) + (unsigned char)(int)b[i];
}

void to_floats(float *a, const int *b, const unsigned *c, int n) {
  for (int i = 0; i < n; i++)
    a[i] = (float)b[i] + (float)c[i] + (float)(uint64_t)c[i] * (float)(short)b[i];
}

void integers(int *a, const int *b, const int *c, int n) {
  for (int i = 0; i < n; i++) {
    int x = (b[i] & 0xffff) - 0x8000, y = (c[i] & 0xff) + 1;
    a[i] = x / y + x % y * 3 - (x << 2) + (x >> 1) + (x ^ y) + (~x | y) + (x < y) + abs(x);
  }
}

void unsigned_integers(unsigned *a, const unsigned *b, const unsigned *c, int n) {
  for (int i = 0; i < n; i++)
    a[i] = b[i] * c[i] + b[i] / (c[i] | 1) - (b[i] >> (c[i] & 31)) + (b[i] << (c[i] & 15)) - (b[i] > c[i]);
}

void wide_integers(int64_t *a, const int64_t *b, const uint64_t *c, int n) {
  for (int i = 0; i < n; i++)
    a[i] = (b[i] >> 7) * 12345 + (int64_t)(c[i] % 1000003) - (int64_t)(uint32_t)b[i] + labs(b[i] >> 1);
}

void narrow_integers(int8_t *a, const uint8_t *b, const int16_t *c, int n) {
  for (int i = 0; i < n; i++)
    a[i] = (int8_t)(b[i] * 3 + c[i]) - (int8_t)(b[i] >> 2);
}

void bits(uint32_t *a, const uint32_t *b, const float *c, int n) {
  for (int i = 0; i < n; i++) {
    uint32_t as;
    memcpy(&as, &c[i], sizeof as);
    a[i] = (as ^ b[i]) + __builtin_popcount(b[i]) + __builtin_clz(b[i] | 1) + (b[i] << 13 | b[i] >> 19);
  }
}

void unions(uint32_t *a, const float *b, const float *c, int n) {
  for (int i = 0; i < n; i++) {
    union {
      float f;
      uint32_t u;
      uint8_t bytes[4];
    } x = {b[i]};
    a[i] = x.u + x.bytes[1] + (c[i] > 0 ? x.bytes[3] : 0);
  }
}

static const float taps[5] = {0.0625f, 0.25f, 0.375f, 0.25f, 0.0625f};

void convolve(float *a, const float *b, const float *c, int n) {
  for (int i = 0; i < n; i++) {
    float sum = 0;
    for (int k = -2; k <= 2; k++)
      if (i + k >= 0 && i + k < n)
        sum += taps[k + 2] * b[i + k];
    a[i] = sum + c[0];
  }
}

static const int permutation[3][4] = {{3, 1, 2, 0}, {1, 0, 3, 2}, {2, 3, 0, 1}};

void table_of_tables(int *a, const int *b, const int *c, int n) {
  for (int i = 0; i < n; i++)
    a[i] = b[permutation[i % 3][c[i] & 3]];
}

void local_matrix(float *a, const float *b, const float *c, int n) {
  float m[4][4], t[4][4];
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++)
      m[i][j] = b[4 * i + j], t[j][i] = c[4 * i + j];
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) {
      float sum = n;
      for (int k = 0; k < 4; k++)
        sum += m[i][k] * t[k][j];
      a[4 * i + j] = sum;
    }
}

void insertion_sort(int *a, const int *b, const int *c, int n) {
  memcpy(a, b, n * sizeof *a);
  for (int i = 1; i < n; i++) {
    int x = a[i], j = i;
    while (j > 0 && a[j - 1] > x) {
      a[j] = a[j - 1];
      j--;
    }
    a[j] = x;
  }
  (void)c;
}

void histogram(int *a, const unsigned *b, const int *c, int n) {
  memset(a, 0, 16 * sizeof *a);
  for (int i = 0; i < n; i++)
    a[b[i] % 16] += c[i];
}

void fill(uint8_t *a, const uint8_t *b, const uint8_t *c, int n) {
  memset(a, b[0], n);
  memmove(a + 1, a, n - 1);
  memcpy(a + n / 2, c, n / 4);
}

struct particle {
  float x, y, z;
  float mass;
};

void structs(struct particle *a, const struct particle *b, const float *c, int n) {
  for (int i = 0; i < n / 4; i++) {
    struct particle p = b[i];
    p.x += c[0] * p.mass;
    p.y = p.z;
    a[i] = p;
    a[i].mass = p.x * p.y;
  }
}

struct vec3 {
  float x, y, z;
};

static struct vec3 cross(struct vec3 a, struct vec3 b) {
  return (struct vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static float dot(struct vec3 a, struct vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

void structs_by_value(float *a, const struct vec3 *b, const struct vec3 *c, int n) {
  for (int i = 0; i < n / 3; i++)
    a[i] = dot(cross(b[i], c[i]), b[i]) + cross(c[i], b[i]).y;
}

struct large {
  double weights[6];
  int count;
};

static double weighted(struct large l, double x) {
  double sum = 0;
  for (int i = 0; i < l.count; i++)
    sum = sum * x + l.weights[i];
  l.count = 0;
  return sum;
}

void large_structs(double *a, const double *b, const double *c, int n) {
  struct large l = {.count = 6};
  for (int i = 0; i < 6; i++)
    l.weights[i] = c[i];
  for (int i = 0; i < n; i++)
    a[i] = weighted(l, b[i]) + l.count;
}

struct node {
  struct {
    int16_t low, high;
  } range;
  const float *values;
};

void pointers_in_structs(float *a, const float *b, const float *c, int n) {
  struct node nodes[2] = {{{0, (int16_t)(n / 2)}, b}, {{(int16_t)(n / 2), (int16_t)n}, c}};
  for (int k = 0; k < 2; k++)
    for (int i = nodes[k].range.low; i < nodes[k].range.high; i++)
      a[i] = nodes[k].values[i];
}

static float twice(float x) { return 2 * x; }
static float square(float x) { return x * x; }

void function_pointers(float *a, const float *b, const int *c, int n) {
  for (int i = 0; i < n; i++) {
    float (*f)(float) = c[i] & 1 ? twice : square;
    a[i] = f(b[i]);
  }
}

void switches(int *a, const int *b, const int *c, int n) {
  for (int i = 0; i < n; i++)
    switch (b[i] & 7) {
    case 0:
    case 3: a[i] = c[i]; break;
    case 1: a[i] = -1; // and on
    case 5: a[i] += 2; break;
    case 6: continue;
    default: a[i] = b[i];
    }
}

void jumps(int *a, const int *b, const int *c, int n) {
  int i = 0;
again:
  if (i < n) {
    unsigned x = (unsigned)b[i] & 0xfff;
    int steps = 0;
    do {
      x = x & 1 ? 3 * x + 1 : x / 2;
      if (++steps > 40)
        goto next;
    } while (x > 1);
  next:
    a[i] = steps + (c[i] && !(steps & 1)) + (b[i] || c[i]);
    i++;
    goto again;
  }
}

void booleans(bool *a, const float *b, const float *c, int n) {
  for (int i = 0; i < n; i++)
    a[i] = (b[i] < c[i]) ^ (b[i] > 0 && !(c[i] > 1)) ? b[i] >= c[i] : (bool)(int)c[i];
}

void prefix_sum(int *a, const int *b, const int *c, int n) {
  int sum = c[0];
  for (int i = 0; i < n; i++)
    a[i] = sum += b[i];
}

void binary_search(int *a, const int *b, const int *c, int n) {
  int sorted[16];
  for (int i = 0; i < 16; i++)
    sorted[i] = i * i - 20;
  for (int i = 0; i < n; i++) {
    int low = 0, high = 16, x = b[i] % 200;
    while (low < high) {
      int middle = (low + high) / 2;
      if (sorted[middle] < x)
        low = middle + 1;
      else
        high = middle;
    }
    a[i] = low;
  }
  (void)c;
}

void heap(float *a, const float *b, const float *c, int n) {
  float *t = malloc(n * sizeof *t);
  for (int i = 0; i < n; i++)
    t[i] = b[i] * c[i];
  for (int i = 0; i < n; i++)
    a[i] = t[n - 1 - i];
  free(t);
}

static int counter = 3;
void variables(int *a, const int *b, const int *c, int n) {
  static const char text[] = "lockstep";
  for (int i = 0; i < n; i++)
    a[i] = text[i % 8] * counter + b[i] - c[i];
}

void approximate_exponentials(float *a, const float *b, const double *c, int n) {
  for (int i = 0; i < n; i++) {
    a[4 * i] = expf(b[i]);
    a[4 * i + 1] = (float)exp(c[i]);
    a[4 * i + 2] = exp2f(b[i]);
    a[4 * i + 3] = expm1f(b[i]);
  }
}

void approximate_logarithms(float *a, const float *b, const double *c, int n) {
  for (int i = 0; i < n; i++) {
    a[4 * i] = logf(fabsf(b[i]));
    a[4 * i + 1] = (float)log2(fabs(c[i]));
    a[4 * i + 2] = log10f(fabsf(b[i]));
    a[4 * i + 3] = log1pf(fabsf(b[i]));
  }
}

void approximate_powers(float *a, const float *b, const double *c, int n) {
  for (int i = 0; i < n; i++) {
    a[4 * i] = powf(fabsf(b[i]), 1.7f);
    a[4 * i + 1] = (float)pow(fabs(c[i]), 0.3);
    a[4 * i + 2] = cbrtf(b[i]);
    a[4 * i + 3] = hypotf(b[i], 1.0f);
  }
}

void approximate_angles(float *a, const float *b, const double *c, int n) {
  for (int i = 0; i < n; i++) {
    a[4 * i] = sinf(b[i]);
    a[4 * i + 1] = cosf(b[i]);
    a[4 * i + 2] = (float)tan(c[i]);
    a[4 * i + 3] = i & 1 ? atan2f(b[i], 2.0f) : (float)acos(c[i] / 16);
  }
}

void approximate_activations(float *a, const float *b, const double *c, int n) {
  for (int i = 0; i < n; i++) {
    a[4 * i] = tanhf(b[i]);
    a[4 * i + 1] = erff(b[i]);
    a[4 * i + 2] = (float)sinh(c[i] / 4);
    a[4 * i + 3] = i & 1 ? erfcf(b[i]) : lgammaf(fabsf(b[i]) + 1);
  }
}
