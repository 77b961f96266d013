// 31 whole structures and a piece: the last one's second field is outside.
// lockstep: run --block 32 --grid 1 --arg 'p=u8[252]'
struct Pair {
    int first, second;
};

__global__ void k(Pair *p) {
    int t = threadIdx.x;
    p[t].first = t;
    p[t].second = t; //~ out-of-bounds
}
