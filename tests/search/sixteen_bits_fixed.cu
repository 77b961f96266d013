// As sixteen_bits_race, with an index that does not wrap.
__global__ void k(int *o) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    o[i] = blockIdx.x;
}
