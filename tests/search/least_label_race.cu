// lockstep: search
// Labels get smaller until nothing changes. The flag of the next round is cleared while others still look at that of this one.
__global__ void spread(int *label, const int *next, int n) {
    __shared__ int changed;
    int t = threadIdx.x;
    do {
        if (t == 0) changed = 0; //~ data-race
        __syncthreads(); //~ barrier-divergence warning
        for (int i = t; i < n; i += blockDim.x)
            if (atomicMin(&label[next[i]], i) > i) atomicExch(&changed, 1);
        __syncthreads(); //~ barrier-divergence warning
    } while (changed); //~ data-race //~ barrier-divergence warning
}
