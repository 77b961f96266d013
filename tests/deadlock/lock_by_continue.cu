// A round that does not get its lock begins again with the same one. Nobody gives a lock back, so a second block waits for ever.
__global__ void k(int *lock, int *out, int n) {
    if (threadIdx.x != 0)
        return;
    for (int i = 0; i < n;) {
        if (atomicCAS(&lock[i], 0, 1) != 0) //~ deadlock
            continue;
        atomicAdd(&out[i], 1);
        ++i;
    }
}

int main() {
    int *lock, *out, n = 8;
    cudaMalloc(&lock, n * sizeof(int));
    cudaMalloc(&out, n * sizeof(int));
    cudaMemset(lock, 0, n * sizeof(int));
    k<<<4, 32>>>(lock, out, n);
}
