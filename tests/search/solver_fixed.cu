// lockstep: search
// The step is ready before it is read, the values are read before they are replaced, and one thread reports.
__global__ void solve(const float *in, float *out, int *rounds, int limit) {
    __shared__ float value[1024], step, rate;
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t, round = 0;
    if (t == 0) rate = in[i];
    float mine = in[i];
    for (; round < limit; round++) {
        value[t] = mine;
        __syncthreads();
        float least = value[t];
        for (int k = 0; k < blockDim.x; k++)
            least = fminf(least, value[k]);
        if (t == 0)
            step = least * 0.5f;
        __syncthreads();
        mine -= step * rate;
    }
    out[i] = mine;
    if (t == 0) rounds[blockIdx.x] = round;
}
