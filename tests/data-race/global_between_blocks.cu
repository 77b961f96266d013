// Neighbouring blocks write the element at their border.
// lockstep: run --block 32 --grid 4 --arg 'out=i32[129]'
__global__ void k(int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = i; //~ data-race
    if (threadIdx.x == 31)
        out[i + 1] = -i; //~ data-race
}
