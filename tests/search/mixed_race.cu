// lockstep: search
// Two of each number, whatever the block.
__global__ void scatter(int *out, const int *in) {
    unsigned t = threadIdx.x;
    out[blockIdx.x * 256 + (t * 78u) % 256u] = in[t];  //~ data-race
}
