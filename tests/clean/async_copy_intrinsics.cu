// Asynchronous copies by clang's intrinsics and by inline PTX, with fewer bytes than are written, and under a predicate.
// lockstep[run]: run --arch sm_80 --block 32 --grid 1 --arg 'out=i32[128]' --arg 'in=i32[256]:iota'
// lockstep[check]: check --arch sm_80 --block 32 --grid 1 --arg 'out=i32[128]' --arg 'in=i32[256]:iota'
#include <assert.h>
#define SHARED(p) ((__attribute__((address_space(3))) void *)(p))
#define GLOBAL(p) ((const __attribute__((address_space(1))) void *)(p))

__global__ void copies(int *out, const int *in) {
    __shared__ __align__(16) int a[128], b[128], c[32];
    int t = threadIdx.x;
    c[t] = -1;
    __nvvm_cp_async_ca_shared_global_16(SHARED(a + 4 * t), GLOBAL(in + 4 * t));
    __nvvm_cp_async_commit_group();
    unsigned at = (unsigned)__cvta_generic_to_shared(b + 4 * t);
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;" ::"r"(at), "l"(in + 4 * t), "r"(8) : "memory");
    asm volatile("{ .reg .pred p; setp.lt.s32 p, %2, 16; @p cp.async.ca.shared.global [%0], [%1], 4; }"
                 ::"r"((unsigned)__cvta_generic_to_shared(c + t)), "l"(in + t), "r"(t) : "memory");
    __nvvm_cp_async_wait_group(0);
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    int u = 31 - t;
    assert(c[u] == (u < 16 ? u : -1));
    for (int i = 0; i < 4; ++i) {
        assert(b[4 * u + i] == (i < 2 ? 4 * u + i : 0));
        out[4 * u + i] = a[4 * u + i];
    }
}
