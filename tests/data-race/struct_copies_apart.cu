// Whole structures through shared memory with a barrier: clean.
// lockstep: run --block 64 --grid 1 --arg 'p=u8[1280]:iota' --arg 'out=u8[1280]'
struct Body {
    float x, y, z;
    int id;
    short tag;
};

__global__ void k(const Body *p, Body *out) {
    __shared__ Body s[64];
    int t = threadIdx.x;
    s[t] = p[t];
    __syncthreads();
    out[t] = s[63 - t];
}
