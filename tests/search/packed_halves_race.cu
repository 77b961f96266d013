// lockstep: search
// As in packed_halves_conditional.cu, but the offsets begin one packet too early for every length.
struct alignas(16) packet { short parts[8]; };
extern __shared__ packet halves[];
__global__ void scale(const packet *w, const packet *o, packet *out, int length) {
    int packets = (length + 7) / 8;
    packet *weights = halves, *offsets = halves + packets - 1;
    for (int i = threadIdx.x; i < packets; i += blockDim.x) {
        weights[i] = w[i]; //~ data-race
        offsets[i] = o[i]; //~ data-race
    }
    __syncthreads();
    for (int i = threadIdx.x; i < packets; i += blockDim.x)
        for (int k = 0; k < 8; k++)
            out[i].parts[k] = weights[i].parts[k] + offsets[i].parts[k];
}
