// As masked_race, with an end.
__global__ void k(int *o) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 4096)
        o[i & 0xfff] = i;
}
