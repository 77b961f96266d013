// All writes store the same value, but somebody reads it without order: not benign, since the
// read may see the old one.
// lockstep: run --block 64 --grid 1 --arg 'flag=i32[1]' --arg 'out=i32[64]'
__global__ void k(int *flag, int *out) {
    int t = threadIdx.x;
    if (t < 32)
        *flag = 1; //~ data-race //~ data-race warning
    else
        out[t] = *flag; //~ data-race
}
