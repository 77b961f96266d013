// However these are launched, somebody waits for ever.
// lockstep: check --only deadlock
__global__ void nobody_sets(int *out) {
    __shared__ volatile int flag;
    if (threadIdx.x == 0)
        flag = 0;
    __syncthreads();
    if (threadIdx.x == 0)
        while (flag == 0) { //~ deadlock
        }
    out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

__global__ void takes_it_twice(int *lock, int *out) {
    if (threadIdx.x == 0) {
        while (atomicCAS(lock, 0, 1) != 0) { //~ deadlock warning //~ deadlock
        }
        while (atomicCAS(lock, 0, 1) != 0) { //~ deadlock
        }
        atomicAdd(out, 1);
        atomicExch(lock, 0);
    }
}

__global__ void keeps_it(int *lock, int *out) {
    while (atomicCAS(lock, 0, 1) != 0) { //~ deadlock
    }
    atomicAdd(out, 1);
}

__global__ void behind_the_barrier(volatile int *flag, int *out) {
    if (threadIdx.x == 32)
        while (*flag == 0) { //~ deadlock
        }
    __syncthreads(); //~ deadlock
    if (threadIdx.x == 0)
        *flag = 1;
    out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

__global__ void one_too_many(int *count, int *out) {
    if (threadIdx.x == 0) {
        atomicAdd(count, 1);
        while (atomicAdd(count, 0) <= gridDim.x) { //~ deadlock
        }
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}
