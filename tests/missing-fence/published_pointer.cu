// lockstep[right]: fences --grid 8 --block 64 --arg data=i32[64] --arg slot=u64[1] --arg out=i32[64] -DRELEASE -DACQUIRE
// lockstep[unreleased]: fences --grid 8 --block 64 --arg data=i32[64] --arg slot=u64[1] --arg out=i32[64] -DACQUIRE
// lockstep[unacquired]: fences --grid 8 --block 64 --arg data=i32[64] --arg slot=u64[1] --arg out=i32[64] -DRELEASE
// exit[right]: 3
// A pointer is handed to another block, one that small launches do not have: weak executions of the whole launch show it.
__global__ void publish(int *data, int **slot, int *out) {
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        data[5] = 42; //~[unreleased,unacquired] missing-fence
#ifdef RELEASE
        __threadfence();
#endif
        *(int *volatile *)slot = data + 5;
    }
    if (blockIdx.x == 7 && threadIdx.x < 32) {
        int *p;
        while ((p = *(int *volatile *)slot) == nullptr) { }
#ifdef ACQUIRE
        __threadfence();
#endif
        out[threadIdx.x] = *p; //~[unreleased,unacquired] missing-fence
    }
}
