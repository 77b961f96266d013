// Every other block takes a slot by a ticket, and its neighbour waits for the slot: which one it is hangs on an atomic.
// lockstep[right]: check --only data-race,missing-fence -DRELEASE=__threadfence()
// lockstep[unreleased]: check --only data-race,missing-fence -DRELEASE=
__global__ void hand_over(unsigned *ticket, unsigned *is_full, int *slot, int *out) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x % 2 == 0) {
        unsigned i = atomicAdd(ticket, 1u);
        slot[i] = 5 * i; //~[unreleased] missing-fence
        RELEASE;
        atomicExch(&is_full[i], 1u);
    } else {
        unsigned i = blockIdx.x / 2;
        while (atomicAdd(&is_full[i], 0u) == 0) {
        }
        __threadfence();
        out[i] = slot[i]; //~[unreleased] missing-fence
    }
}
