// Functions of C++ that are run natively and by the simulator.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace linear {
template <class T, int N> struct Vector {
  T v[N];
  T &operator[](int i) { return v[i]; }
  const T &operator[](int i) const { return v[i]; }
  Vector operator+(const Vector &o) const {
    Vector r;
    for (int i = 0; i < N; i++)
      r[i] = v[i] + o[i];
    return r;
  }
  T dot(const Vector &o) const {
    T sum{};
    for (int i = 0; i < N; i++)
      sum += v[i] * o[i];
    return sum;
  }
};
} // namespace linear

template <class T> static T clamped(T x, T low, T high) { return std::min(std::max(x, low), high); }

struct Accumulator {
  double sum = 0;
  float largest = -std::numeric_limits<float>::infinity();
  ~Accumulator() { sum = -1; }
  void operator()(float x) {
    sum += x;
    largest = std::max(largest, x);
  }
};

struct Shape {
  virtual float area() const = 0;
};
struct Square : Shape {
  float side;
  explicit Square(float s) : side(s) {}
  float area() const override { return side * side; }
};
struct Circle : Shape {
  float radius;
  explicit Circle(float r) : radius(r) {}
  float area() const override { return 3.0f * radius * radius; }
};

extern "C" {
void vectors(float *a, const float *b, const float *c, int n) {
  using V = linear::Vector<float, 4>;
  for (int i = 0; i + 4 <= n; i += 4) {
    V x{{b[i], b[i + 1], b[i + 2], b[i + 3]}}, y{{c[i], c[i + 1], c[i + 2], c[i + 3]}};
    a[i] = (x + y).dot(x);
    std::swap(x[0], y[3]);
    a[i + 1] = x[0];
  }
}

void clamps(float *a, const float *b, const int *c, int n) {
  for (int i = 0; i < n; i++)
    a[i] = clamped(b[i], -1.0f, 1.0f) + clamped(c[i], -100, 100) + std::abs(b[i]) + std::abs(c[i] % 1000);
}

void reductions(float *a, const float *b, const float *c, int n) {
  Accumulator of;
  for (int i = 0; i < n; i++)
    of(b[i] - c[i]);
  a[0] = (float)of.sum;
  a[1] = of.largest;
}

void lambdas(float *a, const float *b, const float *c, int n) {
  float scale = c[0];
  auto map = [&](auto f) {
    for (int i = 0; i < n; i++)
      a[i] = f(b[i]);
  };
  if (scale > 0)
    map([=](float x) { return x * scale; });
  else
    map([&](float x) { return x - scale; });
}

void arrays(int *a, const int *b, const int *c, int n) {
  std::array<int, 8> t;
  t.fill(n);
  for (int i = 0; i < n; i++)
    t[b[i] & 7] += c[i];
  for (auto &x : t)
    *a++ = x;
}

void references(float *a, const float *b, const float *c, int n) {
  auto &out = *reinterpret_cast<float(*)[8]>(a);
  const auto &[x, y] = std::pair<float, float>(b[0], c[0]);
  for (float &o : out)
    o = x * y + n;
}

void roots_of_std(double *a, const float *b, const double *c, int n) {
  for (int i = 0; i < n; i++)
    a[i] = std::sqrt(std::fabs(b[i])) + std::floor(c[i]) + std::fmax(b[i], 0.5f) + std::trunc(c[i] * 3);
}

void approximate_std(float *a, const float *b, const float *c, int n) {
  for (int i = 0; i < n; i++)
    a[i] = i & 2 ? i & 1 ? std::exp(b[i]) : std::pow(std::abs(c[i]), 1.5f) : i & 1 ? std::tanh(b[i]) : std::sin(c[i]);
}

void objects(float *a, const float *b, const float *c, int n) {
  for (int i = 0; i < n; i++) {
    Square s(b[i]);
    Circle r(c[i]);
    a[i] = s.area() + r.area();
  }
}

void growing(int *a, const int *b, const int *c, int n) {
  std::vector<int> kept(4);
  for (int i = 0; i < n; i++)
    if (b[i] > c[i])
      kept[i & 3] += b[i];
  std::copy(kept.begin(), kept.end(), a);
}
}
