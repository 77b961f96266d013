// lockstep[line]: run --kernel sums --global 10 --block 4 --arg 'in=i32[10]:iota' --arg 'o=i32[10]' --arg 'sizes=i32[10]'
// lockstep[plane]: run --kernel plane --global 5,3 --block 4,2 --arg 'o=i32[15]'

// Threads of the last group add up what they have, and meet at its barriers.
__kernel void sums(__global const int *in, __global int *o, __global int *sizes) {
    int i = get_global_id(0);
    __local int first;
    if (get_local_id(0) == 0) first = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    o[i] = work_group_reduce_add(in[i]) + 100 * first;
    sizes[i] = get_local_size(0) + 10 * get_enqueued_local_size(0) + 100 * get_global_size(0);
}

__kernel void plane(__global int *o) {
    int i = get_global_id(1) * get_global_size(0) + get_global_id(0);
    o[i] = 10 * get_local_size(0) + get_local_size(1) + 100 * get_local_linear_id();
}
