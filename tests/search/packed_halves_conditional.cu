// lockstep: search
// Weights and offsets of a row stand one behind the other in shared memory, in packets of eight. Where a row is no multiple of
// eight long, the last packet of weights reaches into the offsets. In packed_halves_race.cu it does for every length.
struct alignas(16) packet { short parts[8]; };
extern __shared__ packet halves[];
__global__ void scale(const packet *w, const packet *o, packet *out, int length) {
    packet *weights = halves, *offsets = halves + length / 8;
    for (int i = threadIdx.x * 8; i < length; i += blockDim.x * 8) {
        weights[i / 8] = w[i / 8]; //~ data-race warning
        offsets[i / 8] = o[i / 8]; //~ data-race warning
    }
    __syncthreads();
    for (int i = threadIdx.x * 8; i + 8 <= length; i += blockDim.x * 8)
        for (int k = 0; k < 8; k++)
            out[i / 8].parts[k] = weights[i / 8].parts[k] + offsets[i / 8].parts[k];
}
