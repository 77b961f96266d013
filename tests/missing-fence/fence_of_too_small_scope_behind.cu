// A fence of the block behind the wait acquires what its own block released, and nothing of another block.
// lockstep[blocks]: run --kernel other_block --block 32 --grid 2 --arg 'data=i32[1]' --arg 'flag=i32[1]' --arg 'out=i32[1]'
// lockstep[warps]: run --kernel own_block --block 64 --grid 1 --arg 'data=i32[1]' --arg 'flag=i32[1]' --arg 'out=i32[1]'
__device__ void tell(int *data, int *flag) {
    *data = 42; //~[blocks] missing-fence
    __threadfence();
    atomicExch(flag, 1);
}

__device__ void hear(int *data, int *flag, int *out) {
    while (atomicAdd(flag, 0) == 0) {
    }
    __threadfence_block();
    *out = *data; //~[blocks] missing-fence
}

__global__ void other_block(int *data, int *flag, int *out) {
    if (threadIdx.x == 0 && blockIdx.x == 0) tell(data, flag);
    if (threadIdx.x == 0 && blockIdx.x == 1) hear(data, flag, out);
}

__global__ void own_block(int *data, int *flag, int *out) {
    if (threadIdx.x == 0) tell(data, flag);
    if (threadIdx.x == 32) hear(data, flag, out);
}
