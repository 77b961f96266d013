// lockstep: search
// As offset_of_parts_conditional.cu, but two threads write one element, whatever the offset is.
__global__ void split(int offset, const float *in, float *out) {
    int at = blockIdx.x * 512 + threadIdx.x;
    for (int k = 0; k < 8; k++) {
        float v = in[at + k * 64];
        out[at + k * 64 + 1 * offset] = v * v; //~ data-race //~ data-race warning
        out[at + k * 64 + 1 + 1 * offset] = v * v * v; //~ data-race //~ data-race warning
    }
}
