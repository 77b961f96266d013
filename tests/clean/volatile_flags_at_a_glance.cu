// Volatile flags that threads look at once: what is read decides branches and nothing else. In the memory model of PTX such
// accesses do not race.
// lockstep: check --only data-race,missing-fence
// At most one of the blocks enters.
__global__ void one_enters(volatile int *wants, int *data) {
    if (threadIdx.x != 0 || blockIdx.x > 1) return;
    wants[blockIdx.x] = 1;
    __threadfence();
    if (wants[1 - blockIdx.x] == 0) *data += 1;
}

// A task is taken by whoever comes first, if it is there already.
__global__ void steals(int *task, int *top, volatile int *bottom, int *out) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        task[0] = 11;
        __threadfence();
        *bottom = 1;
    } else {
        int first = atomicAdd(top, 0);
        int end = *bottom;
        if (first < end) {
            __threadfence();
            int x = task[first];
            if (atomicCAS(top, first, first + 1) == first) out[blockIdx.x] = x;
        }
    }
}
