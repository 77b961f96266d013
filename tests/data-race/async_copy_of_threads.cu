// The barrier tells the others that each thread has begun its copy, not that it is done.
// lockstep: run --block 64 --grid 1 --arg 'out=f32[64]' --arg 'in=f32[64]:iota'
__global__ void begun(float *out, const float *in) {
    __shared__ float s[64];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&s[t], &in[t], sizeof(float)); //~ data-race
    __pipeline_commit();
    __syncthreads();
    out[t] = s[63 - t]; //~ data-race
}
