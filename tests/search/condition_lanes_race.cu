// Two warps write the same places: any block of more than one warp.
__global__ void k(int *o) {
    __shared__ int s[32];
    int lane = threadIdx.x % 32;
    s[lane] = threadIdx.x; //~ data-race
    __syncthreads();
    o[threadIdx.x] = s[lane];
}
