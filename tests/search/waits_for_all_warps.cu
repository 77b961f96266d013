// A barrier of all warps of a launch, whose number the caller gives; it hangs where that is too large.
// lockstep: check --only deadlock
__global__ void meet(int *arrived, int warps, int *out) {
    if (threadIdx.x % 32 == 0) {
        atomicAdd(arrived, 1);
        while (*(volatile int *)arrived < warps) { //~ deadlock warning
        }
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}
