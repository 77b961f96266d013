// Parts of an array lie an offset apart that nobody has said. No launch comes to its end in time, so it is not known whether another
// offset helps: what the small ones show is only possible.
// lockstep: check --budget 0.2 --only data-race
// exit: 3
__global__ void parts(const float *in, float *out, float *sums, int offset) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[2 * i]; //~ data-race
    out[i + offset] = in[2 * i + 1]; //~ data-race
    float sum = 0;
    for (int k = 0; k < 10000000; k++) sum += k * in[i];
    sums[i] = sum;
}
