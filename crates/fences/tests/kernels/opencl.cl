// OpenCL: flags with order and scope, fences, and barriers with flags.
#ifndef STORE
#define STORE memory_order_release
#endif
#ifndef LOAD
#define LOAD memory_order_acquire
#endif
#ifndef SCOPE
#define SCOPE memory_scope_device
#endif
#ifndef RELEASE
#define RELEASE atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_device)
#endif
#ifndef ACQUIRE
#define ACQUIRE atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_device)
#endif
#ifndef MORE
#define MORE
#endif
#ifndef FLAGS
#define FLAGS CLK_GLOBAL_MEM_FENCE
#endif

__kernel void by_order(__global int *data, __global atomic_int *flag, __global int *out) {
    if (get_group_id(0) == 0) {
        data[0] = 42;
        // release
        atomic_store_explicit(flag, 1, STORE, SCOPE);
    } else if (get_group_id(0) == 1) {
        while (atomic_load_explicit(flag, LOAD, memory_scope_device) == 0) {
        }
        // acquire
        out[0] = data[0];
    }
}

__kernel void by_fences(__global int *data, __global atomic_int *flag, __global int *out) {
    if (get_group_id(0) == 0) {
        data[0] = 42;
        RELEASE; // release
        atomic_store_explicit(flag, 1, memory_order_relaxed, memory_scope_device);
        MORE; // more
    } else if (get_group_id(0) == 1) {
        while (atomic_load_explicit(flag, memory_order_relaxed, memory_scope_device) == 0) {
        }
        ACQUIRE; // acquire
        out[0] = data[0];
    }
}

__kernel void by_barrier(__global int *data, __global int *out) {
    size_t i = get_local_id(0);
    data[i] = (int)i;
    barrier(FLAGS);
    out[i] = data[(i + 1) % get_local_size(0)];
}

// The scope of a barrier is that of the fences in it.
__kernel void by_wide_barrier(__global int *data, __global atomic_int *flag, __global int *out) {
    if (get_group_id(0) == 0) {
        data[0] = 42;
        work_group_barrier(CLK_GLOBAL_MEM_FENCE, SCOPE); // release
        atomic_store_explicit(flag, 1, memory_order_relaxed, memory_scope_device);
    } else if (get_group_id(0) == 1) {
        while (atomic_load_explicit(flag, memory_order_relaxed, memory_scope_device) == 0) {
        }
        work_group_barrier(CLK_GLOBAL_MEM_FENCE, SCOPE); // acquire
        out[0] = data[0];
    }
}
