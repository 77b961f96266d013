// A launch that is given in full and small is explored itself: then no fence is missing in it, whatever the order.
// lockstep[right]: fences --kernel right --grid 2 --block 1 --arg data=i32[1] --arg flag=i32[1] --arg out=i32[1]
// lockstep[unfenced]: fences --kernel unfenced --grid 2 --block 1 --arg data=i32[1] --arg flag=i32[1] --arg out=i32[1]
// lockstep[nothing]: fences --kernel unfenced --assume 'gridDim.x > 100'
// exit[nothing]: 3
__global__ void right(int *data, volatile int *flag, int *out) {
    if (blockIdx.x == 0) {
        *data = 42;
        __threadfence();
        *flag = 1;
    } else {
        while (*flag == 0) {
        }
        __threadfence();
        *out = *data;
    }
}

__global__ void unfenced(int *data, volatile int *flag, int *out) {
    if (blockIdx.x == 0) {
        *data = 42; //~[unfenced] missing-fence
        *flag = 1;
    } else {
        while (*flag == 0) {
        }
        *out = *data; //~[unfenced] missing-fence
    }
}
