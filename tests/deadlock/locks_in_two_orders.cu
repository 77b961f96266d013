// Two locks that even and odd blocks take in different orders: most executions end, and in some two blocks wait for each other.
// lockstep: check --only deadlock
// exit: 3
__device__ int left, right;

__device__ void take(int *lock) {
    while (atomicCAS(lock, 0, 1) != 0) {} //~ deadlock
    __threadfence();
}

__device__ void leave(int *lock) {
    __threadfence();
    atomicExch(lock, 0);
}

__global__ void two_orders(int *sums) {
    if (threadIdx.x != 0) return;
    bool odd = blockIdx.x % 2;
    take(odd ? &right : &left);
    take(odd ? &left : &right);
    sums[0] += 1;
    sums[1] += 1;
    leave(odd ? &left : &right);
    leave(odd ? &right : &left);
}
