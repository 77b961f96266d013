// CUDA's and clang's atomic functions with an order and a scope. clang itself drops the scope.
// lockstep[nv]: check --only data-race,missing-fence -DNV -DSCOPE=__NV_THREAD_SCOPE_DEVICE -DORDER=__NV_ATOMIC_RELEASE
// lockstep[nv_narrow]: check --only data-race,missing-fence -DNV -DSCOPE=__NV_THREAD_SCOPE_BLOCK -DORDER=__NV_ATOMIC_RELEASE
// lockstep[nv_relaxed]: check --only data-race,missing-fence -DNV -DSCOPE=__NV_THREAD_SCOPE_DEVICE -DORDER=__NV_ATOMIC_RELAXED
// lockstep[clang]: check --only data-race,missing-fence -DSCOPE=__MEMORY_SCOPE_DEVICE -DORDER=__ATOMIC_RELEASE
// lockstep[clang_narrow]: check --only data-race,missing-fence -DSCOPE=__MEMORY_SCOPE_WRKGRP -DORDER=__ATOMIC_RELEASE
// lockstep[clang_relaxed]: check --only data-race,missing-fence -DSCOPE=__MEMORY_SCOPE_DEVICE -DORDER=__ATOMIC_RELAXED
#ifdef NV
#define STORE(p, v) __nv_atomic_store_n(p, v, ORDER, SCOPE)
#define LOAD(p) __nv_atomic_load_n(p, __NV_ATOMIC_ACQUIRE, SCOPE)
#else
#define STORE(p, v) __scoped_atomic_store_n(p, v, ORDER, SCOPE)
#define LOAD(p) __scoped_atomic_load_n(p, __ATOMIC_ACQUIRE, SCOPE)
#endif
__global__ void publish(int *data, int *flag, int *out) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        *data = 42; //~[nv_relaxed,clang_relaxed] missing-fence //~[nv_narrow,clang_narrow] data-race
        STORE(flag, 1); //~[nv_narrow,clang_narrow] data-race
    } else if (blockIdx.x == 1) {
        while (LOAD(flag) == 0) { //~[nv_narrow,clang_narrow] data-race
        }
        *out = *data; //~[nv_relaxed,clang_relaxed] missing-fence //~[nv_narrow,clang_narrow] data-race
    }
}
