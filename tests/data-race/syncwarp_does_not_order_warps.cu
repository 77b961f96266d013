// __syncwarp says nothing about another warp.
// lockstep: run --block 64 --grid 1 --arg 'out=i32[64]'
__global__ void k(int *out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = t; //~ data-race
    __syncwarp();
    out[t] = s[t ^ 32]; //~ data-race
}
