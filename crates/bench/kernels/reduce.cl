// Tree reduction: one sum for each block of 256.
kernel void reduce(global const float *in, global float *out, int n) {
    local float s[256];
    int l = get_local_id(0), i = get_global_id(0);
    s[l] = i < n ? in[i] : 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int stride = 128; stride > 0; stride /= 2) {
        if (l < stride) s[l] += s[l + stride];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0) out[get_group_id(0)] = s[0];
}
