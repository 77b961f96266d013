// Nobody in the kernel writes the flag: the host has, or does.
// lockstep: check --only deadlock
// exit: 3
__global__ void k(volatile int *flag, int *out) {
    if (threadIdx.x == 0)
        while (*flag == 0) { //~ deadlock warning
        }
    out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}
