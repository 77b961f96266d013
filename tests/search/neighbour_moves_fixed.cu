// lockstep: search
// The step is told apart from the state it begins with.
struct Particle { float x, v; };
__global__ void move(const Particle *p, Particle *q, float dt, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n - 1) return;
    float v = p[i].v + (p[i + 1].x - p[i].x) * dt;
    q[i].v = v;
    q[i].x = p[i].x + v * dt;
}
