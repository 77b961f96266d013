// lockstep: check --only missing-fence,redundant-fence
// With one block alone, the producer waits for ever: that launch says nothing about fences.
__global__ void ring(int *slot, volatile int *head, volatile int *tail, int *out) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        for (int i = 0; i < 2; ++i) {
            while (i - *head >= 1) {
            }
            __threadfence();
            slot[0] = 10 + i;
            __threadfence();
            *tail = i + 1;
        }
    } else if (blockIdx.x == 1) {
        for (int i = 0; i < 2; ++i) {
            while (*tail <= i) {
            }
            __threadfence();
            out[i] = slot[0];
            __threadfence();
            *head = i + 1;
        }
        __threadfence(); //~ redundant-fence warning
    }
}
