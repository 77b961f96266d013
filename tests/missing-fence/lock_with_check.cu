// lockstep[right]: fences --kernel sums --check is_right --grid 8 --block 32 --arg lock=i32[1] --arg sum=i32[1] -DRELEASE -DACQUIRE
// lockstep[unreleased]: fences --kernel sums --check is_right --grid 8 --block 32 --arg lock=i32[1] --arg sum=i32[1] -DACQUIRE
// lockstep[unacquired]: fences --kernel sums --check is_right --grid 8 --block 32 --arg lock=i32[1] --arg sum=i32[1] -DRELEASE
// A sum behind a lock, and what it must be. The exploration and the executions find the same: it is said once.
__device__ void add(int *lock, int *sum, int value) {
    while (atomicCAS(lock, 0, 1) != 0) { }
#ifdef ACQUIRE
    __threadfence();
#endif
    *sum = *sum + value; //~[unreleased,unacquired] missing-fence
#ifdef RELEASE
    __threadfence();
#endif
    atomicExch(lock, 0);
}

__global__ void sums(int *lock, int *sum) {
    if (threadIdx.x == 0) add(lock, sum, blockIdx.x + 1);
}

__global__ void is_right(int *sum) {
    assert(sum[0] == 36);
}
