// lockstep: search
// A permutation of 256 numbers is one for blocks of so many threads.
__global__ void scatter(int *out, const int *in) {
    unsigned t = threadIdx.x;
    out[blockIdx.x * 256 + (t * 77u) % 256u] = in[t];  //~ data-race warning
}
