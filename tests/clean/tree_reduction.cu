// lockstep: run --block 128 --grid 2 --arg 'in=f32[256]:ones' --arg 'out=f32[2]'
__global__ void reduce(const float *in, float *out) {
    extern __shared__ float unused[];
    __shared__ float s[128];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * blockDim.x + t];
    for (int d = blockDim.x / 2; d > 0; d /= 2) {
        __syncthreads();
        if (t < d)
            s[t] += s[t + d];
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}
