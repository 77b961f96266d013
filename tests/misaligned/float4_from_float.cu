// A float4 must begin at a multiple of 16 bytes.
// lockstep: run --block 8 --grid 1 --arg 'a=f32[33]:iota' --arg 'out=f32[8]'
__global__ void k(const float *a, float *out) {
    float4 v = *reinterpret_cast<const float4 *>(a + 1 + 4 * threadIdx.x); //~ misaligned
    out[threadIdx.x] = v.x + v.w;
}
