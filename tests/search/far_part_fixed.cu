// As far_part_race, with a place for each.
__global__ void k(int *o, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        o[i] = i;
        if (i % 3 == 0)
            o[5000000 + i / 3] = i;
    }
}
