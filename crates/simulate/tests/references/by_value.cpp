// Functions with structs passed by value. The native caller of `f` is `call_f`, which takes the struct from the second
// buffer; the simulator is given its bytes, or its fields.
#include <math.h>
#include <stdint.h>

struct One { float x; };
struct Two { float x, y; };
struct Three { float x, y, z; };
struct Five { float v[5]; };
struct Mixed { float scale; int32_t shift; double offset; };
struct Small { uint8_t low; int16_t high; };
struct View { float *data; int32_t count; };
struct Pair { Two first; Small second; };

#define CASE(T, name, body)                                                                                            \
  void name(float *a, T s, const float *c, int n) { body }                                                             \
  extern "C" void call_##name(float *a, const T *s, const float *c, int n) { name(a, *s, c, n); }

CASE(One, one, for (int i = 0; i < n; i++) a[i] = s.x + c[i];)
CASE(Two, two, for (int i = 0; i < n; i++) a[i] = s.x * c[i] + s.y;)
CASE(Three, three, for (int i = 0; i < n; i++) a[i] = s.x * c[i] + s.y - s.z;)
CASE(Five, five, for (int i = 0; i < n; i++) a[i] = s.v[i % 5] * c[i];)
CASE(Mixed, mixed, for (int i = 0; i < n; i++) a[i] = s.scale * c[i] + (s.shift >> 3) + s.offset;)
CASE(Small, small, for (int i = 0; i < n; i++) a[i] = c[i] * s.low + s.high; s.low = 0; a[0] += s.low;)
CASE(Pair, pair, for (int i = 0; i < n; i++) a[i] = c[i] * s.first.y + s.second.high;)

Three moved(float *a, Three s, const float *c, int n) {
  for (int i = 0; i < n; i++)
    a[i] = s.x += c[i];
  return s;
}
extern "C" void call_moved(float *a, const Three *s, const float *c, int n) { moved(a, *s, c, n); }

Five returned(float *a, Five s, const float *c, int n) {
  s.v[0] += 1;
  for (int i = 0; i < n; i++)
    a[i] = s.v[0] * c[i];
  return s;
}
extern "C" void call_returned(float *a, const Five *s, const float *c, int n) { returned(a, *s, c, n); }
