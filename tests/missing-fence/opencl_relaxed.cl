// Relaxed atomics do not publish anything.
// lockstep: run --block 1 --grid 2 --arg 'data=i32[1]' --arg 'flag=i32[1]' --arg 'out=i32[1]' -- -cl-std=CL2.0
kernel void k(global int *data, global atomic_int *flag, global int *out) {
    if (get_group_id(0) == 0) {
        *data = 42; //~ missing-fence
        atomic_store_explicit(flag, 1, memory_order_relaxed, memory_scope_device);
    } else {
        while (atomic_load_explicit(flag, memory_order_relaxed, memory_scope_device) == 0) {
        }
        *out = *data; //~ missing-fence
    }
}
