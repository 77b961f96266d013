// Nobody ever writes the flag again.
// lockstep: run --block 32 --grid 1 --arg 'out=i32[1]'
kernel void k(global int *out) {
    volatile local int flag;
    if (get_local_id(0) == 0)
        flag = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 3) {
        while (flag == 0) { //~ deadlock
        }
        *out = 1;
    }
}
