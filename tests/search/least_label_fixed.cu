// lockstep: search
// All have looked at the flag before it is cleared.
__global__ void spread(int *label, const int *next, int n) {
    __shared__ int changed;
    int t = threadIdx.x, go;
    do {
        if (t == 0) changed = 0;
        __syncthreads();
        for (int i = t; i < n; i += blockDim.x)
            if (atomicMin(&label[next[i]], i) > i) atomicExch(&changed, 1);
        __syncthreads();
        go = changed;
        __syncthreads();
    } while (go);
}
