// A function of the work-group is one for all its work-items.
// lockstep: run --block 16 --grid 1 --arg 'out=i32[16]' --arg 'in=i32[16]:iota' -- -cl-std=CL2.0
kernel void few(global int *out, global const int *in) {
    int l = get_local_id(0);
    if (l < 8) //~ barrier-divergence
        out[l] = work_group_reduce_add(in[l]); //~ barrier-divergence
}
