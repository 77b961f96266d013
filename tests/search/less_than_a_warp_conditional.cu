// lockstep: search
// The sums of the warps lie behind their maxima, which takes a whole warp: with fewer threads both begin at one element.
// less_than_a_warp_race.cu has them in one place.
__global__ void spread(float *out, const float *in, int columns) {
    extern __shared__ float scratch[];
    int t = threadIdx.x, warps = blockDim.x / 32, warp = t / 32, lane = t % 32;
    float *most = scratch, *sums = scratch + warps;
    const float *row = in + blockIdx.x * columns;
    float m = -1e30f, s = 0;
    for (int i = t; i < columns; i += blockDim.x) m = fmaxf(m, row[i]);
    for (int d = 16; d > 0; d /= 2) m = fmaxf(m, __shfl_xor_sync(~0u, m, d));
    if (lane == 0) most[warp] = m;
    __syncthreads();
    if (t == 0) {
        for (int w = 1; w < warps; w++) m = fmaxf(m, most[w]);
        most[0] = m;
    }
    __syncthreads();
    float above = most[0]; //~ data-race warning
    for (int i = t; i < columns; i += blockDim.x) s += expf(row[i] - above);
    for (int d = 16; d > 0; d /= 2) s += __shfl_xor_sync(~0u, s, d);
    if (lane == 0) sums[warp] = s; //~ data-race warning
    __syncthreads();
    if (t == 0) {
        for (int w = 1; w < warps; w++) s += sums[w];
        out[blockIdx.x] = s;
    }
}
