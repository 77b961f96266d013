// Each thread writes a half word, and its neighbour a byte of it.
// lockstep: run --block 64 --grid 2 --arg 'halves=u16[130]'
__global__ void k(unsigned short *halves) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    halves[i] = i; //~ data-race
    ((unsigned char *)halves)[2 * i + 3] = 255; //~ data-race
}
