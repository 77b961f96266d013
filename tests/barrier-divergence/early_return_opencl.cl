// In OpenCL every work-item of the group must come.
// lockstep: run --block 64 --grid 1 --arg 'out=i32[64]' --arg n=40
kernel void k(global int *out, int n) {
    local int s[64];
    int t = get_local_id(0);
    if (t >= n) //~ barrier-divergence
        return;
    s[t] = t;
    barrier(CLK_LOCAL_MEM_FENCE); //~ barrier-divergence
    out[t] = s[n - 1 - t];
}
