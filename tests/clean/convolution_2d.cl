// lockstep: run --block 8,8 --grid 2,2 --arg 'in=f32[256]:random' --arg 'out=f32[256]' --arg 'w=f32[9]:ones' --arg n=16
kernel void convolve(global const float *in, global float *out, constant float *w, int n) {
    local float s[10][10];
    int x = get_local_id(0), y = get_local_id(1);
    int x0 = 8 * get_group_id(0) - 1, y0 = 8 * get_group_id(1) - 1;
    for (int j = y; j < 10; j += 8)
        for (int i = x; i < 10; i += 8) {
            int gx = x0 + i, gy = y0 + j;
            s[j][i] = gx >= 0 && gx < n && gy >= 0 && gy < n ? in[gy * n + gx] : 0.0f;
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    float sum = 0.0f;
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++)
            sum += w[3 * j + i] * s[y + j][x + i];
    out[get_global_id(1) * n + get_global_id(0)] = sum;
}
