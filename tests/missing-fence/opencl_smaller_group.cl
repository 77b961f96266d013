// The last group has one work-item, and only such a group looks at what another has written. Launches with such groups are
// executed with store buffers, and not explored.
// lockstep: fences --global 3 --block 2 --arg data=i32[1] --arg flag=i32[1] --arg out=i32[1] -- -cl-std=CL2.0
__kernel void k(__global int *data, __global atomic_int *flag, __global int *out) {
    if (get_local_size(0) == 1) {
        while (atomic_load_explicit(flag, memory_order_relaxed, memory_scope_device) == 0) {
        }
        out[0] = data[0]; //~ missing-fence
    } else if (get_global_id(0) == 0) {
        data[0] = 42; //~ missing-fence
        atomic_store_explicit(flag, 1, memory_order_relaxed, memory_scope_device);
    }
}
