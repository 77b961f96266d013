// The lanes that have something to write ask for their places together.
// lockstep: run --block 64 --grid 2 --arg 'in=i32[128]:iota' --arg 'out=i32[128]' --arg 'count=i32[1]'
__global__ void append(const int *in, int *out, int *count) {
    int v = in[blockIdx.x * blockDim.x + threadIdx.x];
    bool keep = v % 3 == 0;
    unsigned mask = __ballot_sync(0xffffffff, keep);
    int lane = threadIdx.x % 32, base = 0;
    if (lane == 0)
        base = atomicAdd(count, __popc(mask));
    base = __shfl_sync(0xffffffff, base, 0);
    if (keep)
        out[base + __popc(mask & ((1u << lane) - 1))] = v;
}
