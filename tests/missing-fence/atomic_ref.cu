// libcu++: the order of the operations decides, and a reference of block scope is for one block.
// lockstep[relaxed]: run --kernel relaxed --block 32 --grid 2 --arg 'data=i32[1]' --arg 'flag=i32[1]' --arg 'out=i32[1]'
// lockstep[ordered]: run --kernel ordered --block 32 --grid 2 --arg 'data=i32[1]' --arg 'flag=i32[1]' --arg 'out=i32[1]'
#include <cuda/atomic>
__global__ void relaxed(int *data, int *flag, int *out) {
    cuda::atomic_ref<int, cuda::thread_scope_device> f(*flag);
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        *data = 42; //~[relaxed] missing-fence
        f.store(1, cuda::memory_order_relaxed);
    } else {
        while (f.load(cuda::memory_order_relaxed) == 0) {
        }
        *out = *data; //~[relaxed] missing-fence
    }
}
__global__ void ordered(int *data, int *flag, int *out) {
    cuda::atomic_ref<int, cuda::thread_scope_device> f(*flag);
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        *data = 42;
        f.store(1, cuda::memory_order_release);
    } else {
        while (f.load(cuda::memory_order_acquire) == 0) {
        }
        *out = *data;
    }
}
