// lockstep: search
// The flag is taken back while others still read it. That needs a second round, and so distances that can become shorter.
__global__ void relax(int *distance, const int *from, const int *to, int edges) {
    __shared__ int changed;
    do {
        if (threadIdx.x == 0) changed = 0;  //~ data-race
        __syncthreads();  //~ barrier-divergence warning
        for (int e = threadIdx.x; e < edges; e += blockDim.x) {
            int far = atomicAdd(&distance[from[e]], 0) + 1;
            if (atomicMin(&distance[to[e]], far) > far) atomicOr(&changed, 1);
        }
        __syncthreads();  //~ barrier-divergence warning
    } while (changed);  //~ data-race //~ barrier-divergence warning
}
