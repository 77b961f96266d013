// lockstep: search
// All have read both columns before one is turned, and the norms are complete before they are added.
kernel void rotate(global float *restrict p, global const float *restrict q, global float *restrict norm) {
    local float a[1024], b[1024], n[1024];
    int t = get_local_id(0), size = get_local_size(0), i = get_global_id(0);
    a[t] = p[i];
    b[t] = q[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    float dot = 0;
    for (int k = 0; k < size; k++)
        dot += a[k] * b[k];
    barrier(CLK_LOCAL_MEM_FENCE);
    float turned = p[i] - dot * b[t];
    a[t] = turned;
    n[t] = turned * turned;
    p[i] = a[t];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t == 0) {
        float sum = 0;
        for (int k = 0; k < size; k++)
            sum += n[k];
        norm[get_group_id(0)] = sum;
    }
}
