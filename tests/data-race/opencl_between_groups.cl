// A barrier with the global flag is still only for the work-group.
// lockstep: run --block 16 --grid 4 --arg 'a=i32[64]' --arg 'out=i32[64]'
kernel void k(global int *a, global int *out) {
    int i = get_global_id(0);
    a[i] = i; //~ data-race
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[i] = a[63 - i]; //~ data-race
}
