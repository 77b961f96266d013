// Two warps write different fields of the same structures: clean.
// lockstep: run --block 64 --grid 1 --arg 'p=u8[384]'
struct Particle {
    float mass;
    short charge;
    unsigned char kind, alive;
    float spin;
};

__global__ void k(Particle *p) {
    int t = threadIdx.x;
    if (t < 32) {
        p[t].mass = 1.0f;
        p[t].kind = 2;
    } else {
        p[t - 32].charge = -1;
        p[t - 32].alive = 1;
    }
}
