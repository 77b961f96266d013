// lockstep: search --only data-race
// exit: 3
// Most of the accesses are behind a value that no launch tried has: that nothing was seen of them does not make the kernel
// clean.
__global__ void behind_a_hash(const unsigned *keys, unsigned *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned h = keys[i] * 2654435761u ^ keys[i] >> 7;
    h = h * 2246822519u ^ h >> 13;
    if (h * 3266489917u != 0x5bd1e995u) return;
    out[h % n] = i;
    out[(h + 1) % n] = out[h % n];
}
