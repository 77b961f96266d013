// Different members of a union are the same bytes.
// lockstep: run --block 64 --grid 1 --arg 'p=u8[8]'
union Word {
    unsigned whole;
    unsigned short half[2];
};

__global__ void k(Word *p) {
    if (threadIdx.x == 0)
        p->whole = 1; //~ data-race
    if (threadIdx.x == 32)
        p->half[1] = 2; //~ data-race
}
