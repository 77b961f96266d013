// Nothing says how these are launched: each waits for what some other launch of it does.
// lockstep: check --only deadlock
__global__ void fed_by_a_warp(int *flag, int *data, int *out) {
    if (threadIdx.x % 32)
        return;
    if (threadIdx.x / 32 == 1) {
        *data = 7;
        __threadfence();
        atomicExch(flag, 1);
    }
    if (threadIdx.x / 32 == 0) {
        while (atomicAdd(flag, 0) == 0) { //~ deadlock warning
        }
        __threadfence();
        *out = *data;
    }
}

__global__ void fed_by_a_block(volatile int *flag, int *data, int *out) {
    if (threadIdx.x)
        return;
    if (blockIdx.x == 5) {
        *data = 7;
        __threadfence();
        *flag = 1;
    }
    if (blockIdx.x == 0) {
        while (*flag == 0) { //~ deadlock warning
        }
        __threadfence();
        *out = *data;
    }
}

__global__ void so_many_blocks(int *count, int goal, int *a, int *b) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    a[t] = t;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd(count, 1);
        while (atomicAdd(count, 0) < goal) { //~ deadlock warning
        }
        __threadfence();
    }
    __syncthreads(); //~ deadlock warning
    b[t] = a[gridDim.x * blockDim.x - 1 - t];
}

__global__ void so_many_warps(int *out, int warps) {
    __shared__ int count;
    if (threadIdx.x == 0)
        count = 0;
    __syncthreads();
    if (threadIdx.x % 32 == 0) {
        atomicAdd(&count, 1);
        while (atomicAdd(&count, 0) != warps) { //~ deadlock warning
        }
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

__global__ void four_blocks(int *count, int *out) {
    if (threadIdx.x == 0) {
        atomicAdd(count, 1);
        while (atomicAdd(count, 0) != 4) { //~ deadlock warning
        }
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}
