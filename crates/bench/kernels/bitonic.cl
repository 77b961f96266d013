// Bitonic sort of 512 elements by each block of 256.
kernel void bitonic(global int *data) {
    local int t[512];
    int l = get_local_id(0), base = 512 * get_group_id(0);
    t[l] = data[base + l];
    t[l + 256] = data[base + l + 256];
    for (int size = 2; size <= 512; size *= 2) {
        for (int stride = size / 2; stride > 0; stride /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            int a = 2 * l - (l & (stride - 1)), b = a + stride;
            int up = (a & size) == 0, va = t[a], vb = t[b];
            if ((va > vb) == up) {
                t[a] = vb;
                t[b] = va;
            }
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    data[base + l] = t[l];
    data[base + l + 256] = t[l + 256];
}
