// lockstep: run --block 64 --grid 1 --arg 'a=i32[64]:ones' --dump a
__global__ void scan(int *a) {
    __shared__ int s[2][64];
    int t = threadIdx.x, from = 0;
    s[0][t] = a[t];
    __syncthreads();
    for (int d = 1; d < 64; d *= 2) {
        int v = s[from][t];
        if (t >= d)
            v += s[from][t - d];
        s[1 - from][t] = v;
        from = 1 - from;
        __syncthreads();
    }
    a[t] = s[from][t];
}
