// lockstep: search
// The barrier at the end of the loop keeps the result until all have read it.
__global__ void nearest_to_each(const int *points, const int *probes, int *far, int count) {
    __shared__ int d[1024];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    for (int p = 0; p < count; p++) {
        d[t] = abs(points[i] - probes[p]);
        for (int half = blockDim.x / 2; half > 0; half /= 2) {
            __syncthreads();
            if (t < half) d[t] = min(d[t], d[t + half]);
        }
        __syncthreads();
        far[p * gridDim.x * blockDim.x + i] = points[i] - d[0];
        __syncthreads();
    }
}
