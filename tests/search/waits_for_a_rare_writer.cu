// Who sets the flag does not do it in the launches that are tried.
// lockstep: check --only deadlock
// exit: 3
__global__ void k(volatile int *flag, const int *when, int *out) {
    if (threadIdx.x == 0) {
        if (when[0] * when[1] == 1234567)
            *flag = 1;
        else if (when[2] == 7654321)
            while (*flag == 0) { //~ deadlock warning
            }
        out[blockIdx.x] = 1;
    }
}
