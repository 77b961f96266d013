// All read, nobody writes: clean.
// lockstep: run --block 64 --grid 2 --arg 'out=i32[128]'
__constant__ int table[4] = {2, 3, 5, 7};

__global__ void k(int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = table[i & 3];
}
