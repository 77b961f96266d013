// Two blocks take turns. All accesses of the one location are volatile, and so have one order.
// lockstep: check --only missing-fence,deadlock
__global__ void turns(volatile int *turn, int rounds) {
    if (threadIdx.x == 0 && blockIdx.x < 2)
        for (int i = 0; i < rounds; i++) {
            while (*turn % 2 != blockIdx.x) { //~ deadlock warning
            }
            *turn = *turn + 1;
        }
}

// What else is accessed in turns needs fences.
__global__ void beside(int *turn, int *out, int rounds) {
    if (threadIdx.x == 0 && blockIdx.x < 2)
        for (int i = 0; i < rounds; i++) {
            while (*(volatile int *)turn % 2 != blockIdx.x) { //~ deadlock warning
            }
            out[0] = out[0] + 1; //~ missing-fence
            *(volatile int *)turn = i * 2 + blockIdx.x + 1;
        }
}
