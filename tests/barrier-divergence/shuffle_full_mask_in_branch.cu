// The mask names all lanes, but half of them do something else.
// lockstep: run --block 32 --grid 1 --arg 'out=i32[32]' --arg 'in=i32[32]:iota'
__global__ void half(int *out, const int *in) {
    int t = threadIdx.x, v = in[t];
    if (t < 16)
        v += __shfl_xor_sync(0xffffffffu, v, 8); //~ barrier-divergence
    out[t] = v;
}
