// Elements are split by a bit of theirs, and the second part begins one place too early. No two elements need be equal for that, nor
// close together.
// lockstep: check --only data-race
// exit: 3
__global__ void split(const unsigned *in, unsigned *out, int bit) {
    __shared__ unsigned before[128];
    int t = threadIdx.x;
    unsigned v = in[blockIdx.x * 128 + t];
    unsigned zero = !(v >> bit & 1);
    before[t] = zero;
    __syncthreads();
    for (int step = 1; step < 128; step *= 2) {
        unsigned other = t >= step ? before[t - step] : 0;
        __syncthreads();
        before[t] += other;
        __syncthreads();
    }
    unsigned ones = before[126];
    out[blockIdx.x * 128 + (zero ? before[t] - 1 : ones + t - before[t])] = v; //~ data-race
}

void launch(const unsigned *in, unsigned *out) {
    for (int bit = 0; bit < 8; bit++) split<<<2, 128>>>(in, out, bit);
}
