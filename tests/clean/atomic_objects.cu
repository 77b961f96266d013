// Atomic objects of libcu++ have the size of their values, and begin with the values that they are given.
// lockstep: run --block 32 --grid 2 --arg 'out=i32[64]'
#include <cassert>
#include <cuda/atomic>

__device__ cuda::atomic<int, cuda::thread_scope_device> drawn(5);
__device__ cuda::atomic<short> small(-3);
__device__ cuda::atomic<float> real{1.5f};
__device__ cuda::atomic<bool> flag(true);
static_assert(sizeof drawn == 4 && sizeof real == 4);

__global__ void draw(int *out) {
    int i = drawn.fetch_add(1, cuda::memory_order_relaxed) - 5;
    assert(i >= 0 && i < 64);
    out[i] = threadIdx.x;
    assert(small.load() == -3 && real.load() == 1.5f && flag.load());
    short expected = -3;
    assert(small.compare_exchange_strong(expected, -3));
}
