// Each thread reads and writes its own element and its local slot `reps` times.
kernel void growth(global float *data, int reps) {
    local float t[128];
    int i = get_global_id(0), l = get_local_id(0);
    for (int k = 0; k < reps; k++) {
        t[l] = data[i] + 1.0f;
        barrier(CLK_LOCAL_MEM_FENCE);
        data[i] = t[127 - l];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
