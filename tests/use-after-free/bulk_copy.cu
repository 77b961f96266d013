// The block ends, and with it its shared memory, while a bulk copy may still read it.
// lockstep: check --block 64 --grid 1 --arg 'out=i32[64]'
__device__ unsigned shared_address(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ void store(void *to, const void *from, unsigned bytes) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(shared_address(from)), "r"(bytes) : "memory"); //~ use-after-free
    asm volatile("cp.async.bulk.commit_group;");
}

__global__ void not_waited_for(int *out) {
    __shared__ __align__(16) int tile[64];
    tile[threadIdx.x] = threadIdx.x;
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) store(out, tile, 256);
}
