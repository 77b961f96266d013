// An eight-byte store at a multiple of four.
// lockstep: run --block 8 --grid 1 --arg 'out=i32[8]' --arg shift=1
__global__ void k(int *out, int shift) {
    __shared__ __align__(16) int s[32];
    int t = threadIdx.x;
    *reinterpret_cast<long long *>(s + 2 * t + shift) = t; //~ misaligned
    __syncthreads();
    out[t] = s[2 * t + shift];
}
