// lockstep: check --only data-race
// exit: 3
// Blocks that take a lock talk to each other, whether or not they know their numbers. That there is one block would take away what
// the kernel is for: nothing is proved under that condition.

// The lock keeps the blocks apart; the prover does not follow that.
__global__ void add(int *lock, int *sum, const int *in) {
    if (threadIdx.x == 0) {
        while (atomicCAS(lock, 0, 1) != 0) {}
        __threadfence();
        *sum += in[0]; //~ data-race
        __threadfence();
        atomicExch(lock, 0);
    }
}

// So does a lock that is tried once.
__global__ void first(int *taken, int *winner, const int *in) {
    if (threadIdx.x == 0 && atomicExch(taken, 1) == 0) *winner = in[0]; //~ data-race warning
}

// Blocks that only count never look at what others have: this one is made for one block.
__global__ void count(int *total, int *last, const int *in) {
    atomicAdd(total, in[threadIdx.x]);
    last[threadIdx.x] = in[threadIdx.x];
}
