// lockstep[any]: check
// lockstep[given]: check --global 100 --block 64

// Right for work-groups of any size.
__kernel void by_enqueued_size(__global int *o) {
    o[get_group_id(0) * get_enqueued_local_size(0) + get_local_id(0)] = 1;
}

__kernel void by_global_id(__global int *o) {
    o[get_global_id(0)] = get_global_size(0);
}

__kernel void guarded(__global const int *in, __global int *o, __local int *t) {
    int l = get_local_id(0);
    t[l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    o[get_global_id(0)] = l + 1 < get_local_size(0) ? t[l + 1] : 0;
}
