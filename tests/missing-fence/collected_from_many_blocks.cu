// Block 0 collects what 32 others publish. All executions of that are too many, and with fewer blocks it would wait for ever:
// executions with store buffers show what goes wrong.
// lockstep[right]: check --only missing-fence --grid 33 --block 32 --arg 'in=i32[1024]:iota' --arg 'part=i32[32]' --arg 'ready=i32[32]' --arg 'out=i32[1]' -DRELEASE -DACQUIRE
// lockstep[unreleased]: check --only missing-fence --grid 33 --block 32 --arg 'in=i32[1024]:iota' --arg 'part=i32[32]' --arg 'ready=i32[32]' --arg 'out=i32[1]' -DACQUIRE
// lockstep[unacquired]: check --only missing-fence --grid 33 --block 32 --arg 'in=i32[1024]:iota' --arg 'part=i32[32]' --arg 'ready=i32[32]' --arg 'out=i32[1]' -DRELEASE
#define PARTS 32
__global__ void collect(const int *in, volatile int *part, volatile int *ready, int *out) {
    int b = blockIdx.x;
    if (b > 0) {
        if (threadIdx.x == 0) {
            int sum = 0;
            for (int i = 0; i < 32; i++) sum += in[(b - 1) * 32 + i];
            part[b - 1] = sum;  //~[unreleased,unacquired] missing-fence
#ifdef RELEASE
            __threadfence();
#endif
            ready[b - 1] = 1;
        }
        return;
    }
    int total = 0;
    for (int p = threadIdx.x; p < PARTS; p += blockDim.x) {
        while (ready[p] == 0) {
        }
#ifdef ACQUIRE
        __threadfence();
#endif
        total += part[p];  //~[unreleased,unacquired] missing-fence
    }
    atomicAdd(out, total);
}
