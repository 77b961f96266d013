__global__ void push(int *lock, int *items, int *count, int n) {
    if (threadIdx.x != 0 || blockIdx.x >= n) return;
    while (atomicCAS(lock, 0, 1) != 0) {}
    __threadfence();
    items[*count] = blockIdx.x;
    *count = *count + 1;
    __threadfence();
    atomicExch(lock, 0);
}
