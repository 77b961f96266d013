// Neither does memcpy: clean.
// lockstep: run --block 8 --grid 1 --arg 'a=u8[33]:iota' --arg 'out=i32[8]'
__global__ void k(const unsigned char *a, int *out) {
    int v;
    memcpy(&v, a + 4 * threadIdx.x + 1, sizeof v);
    out[threadIdx.x] = v;
}
