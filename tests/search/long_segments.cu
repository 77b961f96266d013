// lockstep: search --only data-race
// A warp for each segment, which the caller keeps apart. Only those that are longer than a warp come to the second place.
__global__ void negate(const int *in, int *out, const int *begins, const int *ends, const int *which, int n) {
    int segment = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, lane = threadIdx.x & 31;
    if (segment >= n) return;
    int begin = begins[which[segment]], size = ends[which[segment]] - begin;
    if (lane < size) out[begin + lane] = -in[begin + lane];                //~ data-race warning
    if (32 + lane < size) out[begin + 32 + lane] = -in[begin + 32 + lane]; //~ data-race warning //~ data-race warning
}

// Both warps of a segment write its first half.
__global__ void halves(const int *in, int *out, const int *begins, const int *ends, const int *which, int n) {
    int segment = (blockIdx.x * blockDim.x + threadIdx.x) >> 6, lane = threadIdx.x & 31;
    if (segment >= n) return;
    int begin = begins[which[segment]], size = ends[which[segment]] - begin;
    if (lane < size) out[begin + lane] = in[begin + lane] + (threadIdx.x & 32); //~ data-race
}
