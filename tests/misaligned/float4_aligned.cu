// It does: clean.
// lockstep: run --block 8 --grid 1 --arg 'a=f32[36]:iota' --arg 'out=f32[8]'
__global__ void k(const float *a, float *out) {
    float4 v = *reinterpret_cast<const float4 *>(a + 4 + 4 * threadIdx.x);
    out[threadIdx.x] = v.x + v.w;
}
