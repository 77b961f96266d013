// lockstep: search
// Zeros move nowhere: only other contents show that the neighbour is read before or after it has moved.
struct Particle { float x, v; };
__global__ void move(Particle *p, float dt, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n - 1) return;
    p[i].v += (p[i + 1].x - p[i].x) * dt; //~ data-race
    p[i].x += p[i].v * dt; //~ data-race
}
