// lockstep: search
// The chain of blocks is reached for some contents only; the host sets its first flag.
__global__ void chain(volatile int *flag, int *out, const int *mode) {
    if (threadIdx.x != 0) return;
    if (mode[0] == 1) {
        while (flag[blockIdx.x] == 0) { //~ deadlock warning
        }
        __threadfence();
        flag[blockIdx.x + 1] = 1;
    }
    out[blockIdx.x] = 3;
}
