// Each thread writes its own component of the vectors: clean.
// lockstep: run --block 64 --grid 1 --arg 'out=f32[64]'
__global__ void k(float4 *out) {
    int t = threadIdx.x;
    if (t < 16)
        out[t].x = 1;
    else if (t < 32)
        out[t - 16].y = 2;
    else if (t < 48)
        out[t - 32].z = 3;
    else
        out[t - 48].w = 4;
}
