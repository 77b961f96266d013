// lockstep: search
// Vectors of four along rows: a row whose length is no multiple of four begins between two of them.
__global__ void scale(float *out, const float *in, int width) {
    int y = blockIdx.x, x = 4 * threadIdx.x;
    if (x + 3 < width) {
        float4 v = *(const float4 *)&in[y * width + x]; //~ misaligned warning
        *(float4 *)&out[y * width + x] = make_float4(2 * v.x, 2 * v.y, 2 * v.z, 2 * v.w); //~ misaligned warning
    }
}
