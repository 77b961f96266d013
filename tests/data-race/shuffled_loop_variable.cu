// A loop variable from another lane: one that starts at the thread's number is the other lane's, so two lanes write one
// element; one that all lanes change in step is their own.
// lockstep: check --only data-race --block 32 --grid 1 --arg 'out=i32[256]'
__global__ void of_the_thread(int *out) {
    int lane = threadIdx.x;
    for (int i = lane; i < 256; i += 32) {
        int other = __shfl_sync(0xffffffffu, i, lane / 2);
        out[other] = lane; //~ data-race
    }
}

__global__ void in_step(int *out) {
    int lane = threadIdx.x;
    for (int i = 0; i < 256; i += 32) {
        int begin = __shfl_sync(0xffffffffu, i, lane / 2);
        out[begin + lane] = lane;
    }
}

// The start is one of two numbers, and which one depends on the lane.
__global__ void by_choice(int *out) {
    int lane = threadIdx.x, i = 0;
    if (lane % 2) i = 128;
    for (; i < 128; i += 32) {
        int begin = __shfl_sync(0x55555555u, i, 0);
        out[begin + lane / 4] = lane; //~ data-race
    }
}
