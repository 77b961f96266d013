// lockstep: check
// A flag announces data: a fence before the flag and one behind the wait are needed, and no other.
__global__ void right(int *data, int *flag, int *out) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        data[0] = 42;
        __threadfence();
        atomicExch(flag, 1);
    } else if (blockIdx.x == 1) {
        while (atomicAdd(flag, 0) == 0) {}
        __threadfence();
        out[0] = data[0];
    }
}

__global__ void twice(int *data, int *flag, int *out) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        data[0] = 42;
        __threadfence();
        atomicExch(flag, 1);
    } else if (blockIdx.x == 1) {
        while (atomicAdd(flag, 0) == 0) {}
        __threadfence();
        out[0] = data[0];
        __threadfence(); //~ redundant-fence warning
    }
}

__global__ void nobody_reads(int *out) {
    out[blockIdx.x * blockDim.x + threadIdx.x] = blockIdx.x;
    __threadfence(); //~ redundant-fence warning
}
