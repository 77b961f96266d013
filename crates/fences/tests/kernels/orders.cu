// Order and scope as operands of the operations themselves.
#ifndef STORE
#define STORE "st.release.gpu.s32"
#endif
#ifndef LOAD
#define LOAD "ld.acquire.gpu.s32"
#endif

__global__ void inline_ptx(int *data, int *flag, int *out) {
    if (blockIdx.x == 0) {
        data[0] = 42;
        asm volatile(STORE " [%0], %1;" ::"l"(flag), "r"(1) : "memory"); // release
    } else if (blockIdx.x == 1) {
        int seen;
        do {
            asm volatile(LOAD " %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
        } while (seen == 0); // acquire
        out[0] = data[0];
    }
}
