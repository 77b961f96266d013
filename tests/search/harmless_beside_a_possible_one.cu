// A race that is harmless does not turn a possible one into one that was found.
// lockstep: check --only data-race
// exit: 3
__global__ void both(volatile int *flag, int *value, int *out) {
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        value[0] = 42; //~ data-race
        __threadfence();
        *flag = 1; //~ data-race
    } else if (blockIdx.x > 0) {
        while (*flag == 0) { //~ data-race
        }
        __threadfence();
        out[0] = value[0]; //~ data-race //~ data-race warning
    }
}
