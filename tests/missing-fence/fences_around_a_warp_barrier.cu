// A fence of each lane before the warp meets counts for the lane that publishes behind it, and a fence of each lane behind
// it for the one that has waited before.
// lockstep[each]: run --kernel each_fences --block 32 --grid 2 --arg 'g=i32[32]' --arg 'flag=i32[1]' --arg 'out=i32[32]'
// lockstep[some]: run --kernel some_fence --block 32 --grid 2 --arg 'g=i32[32]' --arg 'flag=i32[1]' --arg 'out=i32[32]'
// lockstep[none]: run --kernel one_waits --block 32 --grid 2 --arg 'g=i32[32]' --arg 'flag=i32[1]' --arg 'out=i32[32]'
// lockstep[all]: run --kernel one_waits_all_fence --block 32 --grid 2 --arg 'g=i32[32]' --arg 'flag=i32[1]' --arg 'out=i32[32]'
// lockstep[half]: run --kernel half_of_them --block 32 --grid 2 --arg 'g=i32[32]' --arg 'flag=i32[1]' --arg 'out=i32[32]'
__device__ void wait_for(int *flag) {
    while (atomicAdd(flag, 0) == 0) {
    }
}

__global__ void each_fences(int *g, int *flag, int *out) {
    int t = threadIdx.x;
    if (blockIdx.x == 0) {
        g[t] = t;
        __threadfence();
        __syncwarp();
        if (t == 0) atomicExch(flag, 1);
    } else {
        wait_for(flag);
        __threadfence();
        out[t] = g[31 - t];
    }
}

__global__ void some_fence(int *g, int *flag, int *out) {
    int t = threadIdx.x;
    if (blockIdx.x == 0) {
        g[t] = t; //~[some] missing-fence
        if (t < 16) __threadfence();
        __syncwarp();
        if (t == 0) atomicExch(flag, 1);
    } else {
        wait_for(flag);
        __threadfence();
        out[t] = g[31 - t]; //~[some] missing-fence
    }
}

__global__ void one_waits(int *g, int *flag, int *out) {
    int t = threadIdx.x;
    if (blockIdx.x == 0) {
        g[t] = t; //~[none] missing-fence
        __syncwarp();
        if (t == 0) {
            __threadfence();
            atomicExch(flag, 1);
        }
    } else {
        if (t == 0) wait_for(flag);
        __syncwarp();
        out[t] = g[31 - t]; //~[none] missing-fence
    }
}

__global__ void one_waits_all_fence(int *g, int *flag, int *out) {
    int t = threadIdx.x;
    if (blockIdx.x == 0) {
        g[t] = t;
        __syncwarp();
        if (t == 0) {
            __threadfence();
            atomicExch(flag, 1);
        }
    } else {
        if (t == 0) wait_for(flag);
        __syncwarp();
        __threadfence();
        out[t] = g[31 - t];
    }
}

__global__ void half_of_them(int *g, int *flag, int *out) {
    int t = threadIdx.x;
    if (t >= 16) return;
    if (blockIdx.x == 0) {
        g[t] = t;
        __threadfence();
        if (t < 8) __syncwarp(0xff);
        if (t == 0) atomicExch(flag, 1);
    } else {
        if (t == 8) wait_for(flag);
        if (t >= 8) {
            __syncwarp(0xff00);
            __threadfence();
            out[t] = g[15 - t];
        }
    }
}
