// A number of each warp, then larger ones of each thread: aligned where the number of warps is even.
__global__ void carve(long long *out) {
    extern __shared__ int memory[];
    long long *of_threads = (long long *)(memory + blockDim.x / 32);
    int t = threadIdx.x;
    of_threads[t] = t; //~ misaligned warning
    if (t < blockDim.x / 32) memory[t] = 1;
    out[blockIdx.x * blockDim.x + t] = of_threads[t]; //~ misaligned warning
}

// Behind one number, nothing that is larger is aligned.
__global__ void always(long long *out) {
    extern __shared__ int memory[];
    long long *of_threads = (long long *)(memory + 1);
    int t = threadIdx.x;
    of_threads[t] = t; //~ misaligned
    out[blockIdx.x * blockDim.x + t] = t;
}
