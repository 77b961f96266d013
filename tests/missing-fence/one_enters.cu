// Each says that it wants to enter and looks whether the other does: without a fence in between, both may enter.
// lockstep: check --only data-race,missing-fence
__global__ void one_enters(volatile int *wants, int *data) {
    if (threadIdx.x != 0 || blockIdx.x > 1) return;
    wants[blockIdx.x] = 1;
    if (wants[1 - blockIdx.x] == 0) *data += 1; //~ missing-fence //~ missing-fence
}
