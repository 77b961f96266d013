// Two threads share a word and not a half of it; then two share a half word and not a byte.
// lockstep: run --block 64 --grid 2 --arg 'halves=u16[128]' --arg 'words=u32[128]'
__global__ void k(unsigned short *halves, unsigned *words) {
    __shared__ unsigned short s[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    words[i] = i;
    halves[i] = i;
    s[threadIdx.x] = i;
    __syncthreads();
    ((unsigned char *)s)[threadIdx.x] = i;
    ((unsigned char *)words)[4 * i + 3] = i;
}
