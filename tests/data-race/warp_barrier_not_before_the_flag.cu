// What other lanes wrote is not before the flag: nothing brings them together, or only some of them, or only a shuffle.
// lockstep[none]: run --kernel alone --block 32 --grid 2 --arg 'g=i32[32]' --arg 'flag=i32[1]' --arg 'out=i32[32]'
// lockstep[late]: run --kernel late --block 32 --grid 2 --arg 'g=i32[32]' --arg 'flag=i32[1]' --arg 'out=i32[32]'
// lockstep[half]: run --kernel half_of_them --block 32 --grid 2 --arg 'g=i32[32]' --arg 'flag=i32[1]' --arg 'out=i32[32]'
// lockstep[shuffle]: run --kernel shuffled --block 32 --grid 2 --arg 'g=i32[32]' --arg 'flag=i32[1]' --arg 'out=i32[32]'
__device__ void publish(int *flag) {
    __threadfence();
    atomicExch(flag, 1);
}

__device__ int wait_and_sum(const int *g, int *flag) {
    while (atomicAdd(flag, 0) == 0) {
    }
    __threadfence();
    int sum = 0;
    for (int i = 0; i < 32; ++i)
        sum += g[i]; //~ data-race
    return sum;
}

__global__ void alone(int *g, int *flag, int *out) {
    if (blockIdx.x == 0) {
        g[threadIdx.x] = threadIdx.x; //~[none] data-race
        if (threadIdx.x == 0) publish(flag);
    } else {
        out[threadIdx.x] = wait_and_sum(g, flag);
    }
}

__global__ void late(int *g, int *flag, int *out) {
    if (blockIdx.x == 0) {
        __syncwarp();
        g[threadIdx.x] = threadIdx.x; //~[late] data-race
        if (threadIdx.x == 0) publish(flag);
        __syncwarp();
    } else {
        out[threadIdx.x] = wait_and_sum(g, flag);
    }
}

__global__ void half_of_them(int *g, int *flag, int *out) {
    if (blockIdx.x == 0) {
        g[threadIdx.x] = threadIdx.x; //~[half] data-race
        if (threadIdx.x < 16) __syncwarp(0xffff);
        if (threadIdx.x == 0) publish(flag);
    } else {
        out[threadIdx.x] = wait_and_sum(g, flag);
    }
}

__global__ void shuffled(int *g, int *flag, int *out) {
    if (blockIdx.x == 0) {
        g[threadIdx.x] = threadIdx.x; //~[shuffle] data-race
        int all = __shfl_sync(~0u, threadIdx.x, 31);
        if (threadIdx.x == 0 && all == 31) publish(flag);
    } else {
        out[threadIdx.x] = wait_and_sum(g, flag);
    }
}
