// A compare-and-swap that stores what it expects only reads: the flag does not begin with that.
// lockstep: check --only deadlock,missing-fence,uninitialised-read
__global__ void wait(int *value, int *flag, int *out) {
    if (threadIdx.x == 33) {
        if (blockIdx.x == 0) {
            value[0] = 42;
            __threadfence();
            atomicAdd(flag, 1);
        } else if (blockIdx.x == 1) {
            while (atomicCAS(flag, 1, 1) != 1) __nanosleep(100);
            __threadfence();
            out[0] = value[0];
        }
    }
}

// Nobody makes it 2.
__global__ void never(int *flag, int *out) {
    if (threadIdx.x == 0) {
        atomicExch(flag, 1);
        while (atomicCAS(flag, 2, 2) != 2) { //~ deadlock
        }
        out[blockIdx.x] = 1;
    }
}
