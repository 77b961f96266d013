// A float4 store covers the scalar that the other warp writes.
// lockstep: run --block 64 --grid 1 --arg 'out=f32[128]'
__global__ void k(float *out) {
    int t = threadIdx.x;
    if (t < 32)
        reinterpret_cast<float4 *>(out)[t] = make_float4(1, 2, 3, 4); //~ data-race
    else
        out[4 * (t - 32) + 3] = 5; //~ data-race
}
