// One round of shortest paths: distances through a graph in compressed rows.
#include <cuda_runtime.h>

#include "rowkit/kernels.cuh"

namespace rowkit {

__global__ void relax_edges(const int *row_start, const int *column, const float *weight, const float *distance,
                            float *next, int *changed, int n) {
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n) return;
    float best = distance[v];
    for (int e = row_start[v]; e < row_start[v + 1]; ++e) {
        float through = distance[column[e]] + weight[e];
        if (through < best) best = through;
    }
    next[v] = best;
    if (best < distance[v]) *changed = 1; // lockstep: allow(data-race) because every thread stores the same 1
}

bool relax(const int *row_start, const int *column, const float *weight, const float *distance, float *next,
           int *changed, int n) {
    cudaMemset(changed, 0, sizeof(int));
    relax_edges<<<(n + 127) / 128, 128>>>(row_start, column, weight, distance, next, changed, n);
    int answer = 0;
    cudaMemcpy(&answer, changed, sizeof(int), cudaMemcpyDeviceToHost);
    return answer != 0;
}

} // namespace rowkit
