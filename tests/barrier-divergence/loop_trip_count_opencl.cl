// In OpenCL that is an error.
// lockstep: run --block 64 --grid 1 --arg 'out=i32[64]'
kernel void k(global int *out) {
    int t = get_local_id(0);
    for (int i = 0; i < 2 + t % 2; i++) { //~ barrier-divergence
        out[t] += i;
        barrier(CLK_GLOBAL_MEM_FENCE); //~ barrier-divergence
    }
}
