// Two warps write the same field.
// lockstep: run --block 64 --grid 1 --arg 'p=u8[256]'
struct Pair {
    int first, second;
};

__global__ void k(Pair *p) {
    int t = threadIdx.x;
    if (t < 32)
        p[t].second = t; //~ data-race
    else
        p[t - 32].second = t; //~ data-race
}
