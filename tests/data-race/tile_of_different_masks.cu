// The lanes of a warp come to one __syncwarp together, each with the mask of its own quarter. Clean.
// lockstep: run --block 32 --grid 1 --arg 'out=i32[32]'
__global__ void k(int *out) {
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = t;
    __syncwarp(0xffu << (t & 24));
    out[t] = s[t ^ 7];
}
