// A whole structure is copied while another thread writes one field of it.
// lockstep: run --block 64 --grid 1 --arg 'p=u8[16]' --arg 'out=u8[16]'
struct Quad {
    int a, b, c, d;
};

__global__ void k(Quad *p, Quad *out) {
    if (threadIdx.x == 0)
        *out = *p; //~ data-race
    if (threadIdx.x == 32)
        p->c = 7; //~ data-race
}
