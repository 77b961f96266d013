// 64 ints need 256 bytes.
// lockstep[small]: run --block 64 --grid 1 --shared 128 --arg 'out=i32[64]'
// lockstep[right]: run --block 64 --grid 1 --shared 256 --arg 'out=i32[64]'
__global__ void k(int *out) {
    extern __shared__ int s[];
    int t = threadIdx.x;
    s[t] = t; //~[small] out-of-bounds
    out[t] = 2 * t;
}
