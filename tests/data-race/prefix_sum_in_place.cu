//--blockDim=64 --gridDim=1
// Hillis and Steele's scan in place, read and write in one step between barriers.
// lockstep: check --arg 'a=i32[64]:iota'
__global__ void scan(int *a) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = a[t];
    __syncthreads();
    for (int d = 1; d < 64; d *= 2) {
        if (t >= d)
            s[t] += s[t - d]; //~ data-race
        __syncthreads();
    }
    a[t] = s[t];
}
