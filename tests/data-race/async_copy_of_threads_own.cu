// Even the thread that began a copy must wait for it.
// lockstep: run --block 64 --grid 1 --arg 'out=f32[64]' --arg 'in=f32[64]:iota'
__global__ void own(float *out, const float *in) {
    __shared__ float s[64];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&s[t], &in[t], sizeof(float)); //~ data-race
    __pipeline_commit();
    out[t] = s[t]; //~ data-race
    __pipeline_wait_prior(0);
}
