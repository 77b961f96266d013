// A bulk copy need not see what threads have stored in shared memory, unless they have executed a proxy fence.
// lockstep: check --block 64 --grid 1 --arg 'out=i32[64]'
__device__ unsigned shared_address(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ void store(void *to, const void *from, unsigned bytes) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(shared_address(from)), "r"(bytes) : "memory"); //~ missing-fence
    asm volatile("cp.async.bulk.commit_group;");
}

__global__ void unfenced(int *out) {
    __shared__ __align__(16) int tile[64];
    tile[threadIdx.x] = threadIdx.x; //~ missing-fence
    __syncthreads();
    if (threadIdx.x == 0) {
        store(out, tile, 256);
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
}
