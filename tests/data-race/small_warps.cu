// With warps of 16, thread 16 is in another warp, so that even lockstep scheduling orders nothing.
// lockstep[wide]: run --block 32 --grid 1 --arg 'out=i32[32]' --scheduling lockstep
// lockstep[narrow]: run --block 32 --grid 1 --arg 'out=i32[32]' --scheduling lockstep --warp-size 16
__global__ void k(int *out) {
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = t; //~[narrow] data-race
    out[t] = s[t ^ 16]; //~[narrow] data-race
}
