// The heap block is read after it was freed.
// lockstep: run --block 4 --grid 1 --arg 'out=i32[4]'
__global__ void k(int *out) {
    int *p = static_cast<int *>(malloc(16));
    for (int i = 0; i < 4; i++)
        p[i] = i + threadIdx.x;
    free(p); //~ use-after-free
    out[threadIdx.x] = p[threadIdx.x]; //~ use-after-free
}
