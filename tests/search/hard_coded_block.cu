// Right for blocks of 64: what is stored besides the index does not hide that.
__global__ void k(int *o) {
    int i = blockIdx.x * 64 + threadIdx.x;
    o[i] = i + blockIdx.x;
}
