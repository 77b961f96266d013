// lockstep: search
// The smallest of eight distances by halving, with no barrier between the halves: a race, but only where the contents make
// a thread take over its neighbour's value. nearest_fixed.cu has the barriers.
__global__ void nearest(const int *distance, int *best) {
    __shared__ int d[8];
    int t = threadIdx.x;
    for (int k = t; k < 8; k += blockDim.x) d[k] = distance[blockIdx.x * 8 + k];
    __syncthreads();
    if (t < 4 && d[t + 4] < d[t])
        d[t] = d[t + 4]; //~ data-race
    if (t < 2 && d[t + 2] < d[t]) //~ data-race
        d[t] = d[t + 2]; //~ data-race
    if (t < 1 && d[t + 1] < d[t]) //~ data-race
        d[t] = d[t + 1]; //~ data-race
    if (t == 0) best[blockIdx.x] = d[0];
}
