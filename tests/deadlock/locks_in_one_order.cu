// Two locks that all blocks take in one order.
// lockstep: check --only deadlock
__device__ int left, right;

__device__ void take(int *lock) {
    while (atomicCAS(lock, 0, 1) != 0) {}
    __threadfence();
}

__device__ void leave(int *lock) {
    __threadfence();
    atomicExch(lock, 0);
}

__global__ void one_order(int *sums) {
    if (threadIdx.x != 0) return;
    take(&left);
    take(&right);
    sums[0] += 1;
    sums[1] += 1;
    leave(&right);
    leave(&left);
}
