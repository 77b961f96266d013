// lockstep: search --only data-race
// Segments that the caller keeps apart: one array says where each begins, another where it ends. Two threads order the first
// four elements of a segment.
__global__ void order_pairs(const int *in, int *out, const int *begins, const int *ends, const int *which, int n) {
    int segment = (blockIdx.x * blockDim.x + threadIdx.x) >> 1, half = threadIdx.x & 1;
    if (segment >= n) return;
    int begin = begins[which[segment]], size = ends[which[segment]] - begin;
    int a = 2 * half < size ? in[begin + 2 * half] : 0;
    int b = 2 * half + 1 < size ? in[begin + 2 * half + 1] : 0;
    if (2 * half < size) out[begin + 2 * half] = min(a, b);         //~ data-race warning
    if (2 * half + 1 < size) out[begin + 2 * half + 1] = max(a, b); //~ data-race warning
}
