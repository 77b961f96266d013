// Two stages: the wait leaves two groups under way, and one of them is the stage that is used.
// lockstep: run --block 64 --grid 1 --arg 'out=f32[64]' --arg 'in=f32[256]:iota' --arg tiles=4
__global__ void stages(float *out, const float *in, int tiles) {
    __shared__ float s[2][64];
    int t = threadIdx.x;
    float sum = 0;
    __pipeline_memcpy_async(&s[0][t], &in[t], sizeof(float)); //~ data-race
    __pipeline_commit();
    for (int k = 0; k < tiles; ++k) {
        if (k + 1 < tiles)
            __pipeline_memcpy_async(&s[(k + 1) & 1][t], &in[(k + 1) * 64 + t], sizeof(float)); //~ data-race
        __pipeline_commit();
        __pipeline_wait_prior(2);
        __syncthreads();
        sum += s[k & 1][63 - t]; //~ data-race
        __syncthreads();
    }
    out[t] = sum;
}
