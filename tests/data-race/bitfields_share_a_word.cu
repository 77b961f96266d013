// Bit fields of one word: writing one rewrites the other.
// lockstep: run --block 64 --grid 1 --arg 'p=u8[4]'
struct Flags {
    unsigned low : 4, high : 4;
};

__global__ void k(Flags *p) {
    if (threadIdx.x == 0)
        p->low = 3; //~ data-race
    if (threadIdx.x == 32)
        p->high = 5; //~ data-race
}
