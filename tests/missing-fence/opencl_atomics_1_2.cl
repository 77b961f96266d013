// OpenCL 1.2 atomics are relaxed; mem_fence on both sides makes the flag an order within a group.
// lockstep[fenced]: run --block 64 --grid 1 --arg 'out=i32[1]' -DFENCE=mem_fence(CLK_LOCAL_MEM_FENCE)
// lockstep[bare]: run --block 64 --grid 1 --arg 'out=i32[1]' -DFENCE=
kernel void k(global int *out) {
    local int data, flag;
    int t = get_local_id(0);
    if (t == 0)
        flag = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t == 0) {
        data = 42; //~[bare] missing-fence
        FENCE;
        atomic_xchg(&flag, 1);
    } else if (t == 32) {
        while (atomic_add(&flag, 0) == 0) {
        }
        FENCE;
        *out = data; //~[bare] missing-fence
    }
}
