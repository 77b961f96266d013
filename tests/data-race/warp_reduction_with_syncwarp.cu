// The same as Volta wants it: read, __syncwarp, write, __syncwarp. Clean.
// lockstep: run --block 32 --grid 1 --arg 'in=i32[32]:iota' --arg 'out=i32[1]'
__global__ void k(const int *in, int *out) {
    __shared__ int s[32];
    int t = threadIdx.x;
    int v = in[t];
    s[t] = v;
    __syncwarp();
    for (int d = 16; d > 0; d /= 2) {
        if (t < d)
            v += s[t + d];
        __syncwarp();
        if (t < d)
            s[t] = v;
        __syncwarp();
    }
    if (t == 0)
        *out = v;
}
