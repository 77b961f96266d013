// Lanes that a mask names, and that have returned, need not come: whatever they did before they returned. But those
// that go around the shuffle, to code that the others come to as well, are missed.
// lockstep: check --block 32 --grid 1 --arg 'out=i32[64]' --arg n=16
__global__ void without(int *out, int n) {
    int t = threadIdx.x, v = t;
    if (t >= n) {
        out[32 + t] = -1;
        return;
    }
    v += __shfl_xor_sync(0xffffffffu, v, 8);
    out[t] = v;
}

__global__ void around(int *out, int n) {
    int t = threadIdx.x, v = t;
    if (t >= n)
        out[32 + t] = -1;
    else
        v += __shfl_xor_sync(0xffffffffu, v, 8); //~ barrier-divergence
    out[t] = v;
}
