// One step of a soft body: the forces on its vertices, their velocities and their positions; and then its edges, which
// pull the ends together.
#include <cmath>

struct Vec {
  float x, y, z, w;
  Vec operator+(const Vec &o) const { return {x + o.x, y + o.y, z + o.z, w + o.w}; }
  Vec operator-(const Vec &o) const { return {x - o.x, y - o.y, z - o.z, w - o.w}; }
  Vec operator*(float k) const { return {x * k, y * k, z * k, w * k}; }
};

static float dot(const Vec &a, const Vec &b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

void step(Vec *position, Vec *velocity, const Vec *force, const float *inverse_mass, float dt, int vertices) {
  for (int i = 0; i < vertices; i++) {
    velocity[i] = velocity[i] + force[i] * (inverse_mass[i] * dt);
    position[i] = position[i] + velocity[i] * dt;
  }
}

void edges(Vec *position, const int *ends, const float *rest, const float *inverse_mass, float stiffness, int count) {
  for (int e = 0; e < count; e++) {
    int a = ends[2 * e], b = ends[2 * e + 1];
    Vec d = position[b] - position[a];
    float length2 = dot(d, d), k = (rest[e] - length2) / ((inverse_mass[a] + inverse_mass[b]) * (rest[e] + length2));
    position[a] = position[a] - d * (inverse_mass[a] * k * stiffness);
    position[b] = position[b] + d * (inverse_mass[b] * k * stiffness);
  }
}

// With wind, which a world without air does not have.
void step_in_air(Vec *position, Vec *velocity, const Vec *force, const float *inverse_mass, float dt, int vertices) {
  for (int i = 0; i < vertices; i++) {
    velocity[i] = velocity[i] + (force[i] - velocity[i] * 0.0f) * (inverse_mass[i] * dt);
    position[i] = position[i] + velocity[i] * dt;
  }
}
