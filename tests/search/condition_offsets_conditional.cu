// Two parts of one array, by offsets of the caller: that one begins below some size is no condition.
// lockstep: check --only data-race
__global__ void move(int *all, int source, int target, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) all[target + i] = all[source + i]; //~ data-race warning
}
