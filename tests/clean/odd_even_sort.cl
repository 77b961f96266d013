// lockstep: run --block 32 --grid 1 --arg 'a=i32[64]:random' --dump a
kernel void sort(global int *a) {
    int t = get_local_id(0);
    for (int round = 0; round < 64; round++) {
        int i = 2 * t + (round & 1);
        if (i + 1 < 64 && a[i] > a[i + 1]) {
            int v = a[i];
            a[i] = a[i + 1];
            a[i + 1] = v;
        }
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
}
