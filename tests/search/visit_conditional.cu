// lockstep: search
// Vertices next to the frontier: two threads may come to one that neither has seen.
__global__ void visit(const int *first, const int *next, int *depth, const int *frontier, int size, int level) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= size) return;
    int v = frontier[t];
    for (int e = first[v]; e < first[v + 1]; e++)
        if (depth[next[e]] == -1) //~ data-race warning
            depth[next[e]] = level; //~ data-race warning //~ data-race warning
}
