// lockstep: search
// Three results for each of 512 elements of a block, an offset apart: where the offset is less than all elements there are,
// the results of one overlap those of another. offset_of_parts_race.cu writes the first result for a neighbour too.
__global__ void split(int offset, const float *in, float *out) {
    int at = blockIdx.x * 512 + threadIdx.x;
    for (int k = 0; k < 8; k++) {
        float v = in[at + k * 64];
        out[at + k * 64 + 0 * offset] = v; //~ data-race warning
        out[at + k * 64 + 1 * offset] = v * v; //~ data-race warning
        out[at + k * 64 + 2 * offset] = v * v * v; //~ data-race warning
    }
}
