// lockstep: check
// A fence for block-mates only has the scope of the device.
__global__ void hand_over(int *out) {
    __shared__ int data;
    __shared__ int flag;
    if (threadIdx.x == 0)
        flag = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        data = 42;
        __threadfence();
        atomicExch(&flag, 1);
    } else if (threadIdx.x == 1) {
        while (atomicAdd(&flag, 0) == 0) {
        }
        __threadfence_block();
        out[blockIdx.x] = data;
    }
}

// The same with the scope of the system.
__global__ void hand_over_to_all(int *out) {
    __shared__ int data;
    __shared__ int flag;
    if (threadIdx.x == 0)
        flag = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        data = 42;
        __threadfence_system();
        atomicExch(&flag, 1);
    } else if (threadIdx.x == 1) {
        while (atomicAdd(&flag, 0) == 0) {
        }
        __threadfence_block();
        out[blockIdx.x] = data;
    }
}
