// Five-point stencil on n by n points with a halo in local memory; block 16 by 16.
#define T 16
kernel void stencil(global const float *in, global float *out, int n) {
    local float t[T + 2][T + 2];
    int x = get_global_id(0), y = get_global_id(1), lx = get_local_id(0), ly = get_local_id(1);
    t[ly + 1][lx + 1] = in[y * n + x];
    if (lx == 0) t[ly + 1][0] = x > 0 ? in[y * n + x - 1] : 0.0f;
    if (lx == T - 1) t[ly + 1][T + 1] = x < n - 1 ? in[y * n + x + 1] : 0.0f;
    if (ly == 0) t[0][lx + 1] = y > 0 ? in[(y - 1) * n + x] : 0.0f;
    if (ly == T - 1) t[T + 1][lx + 1] = y < n - 1 ? in[(y + 1) * n + x] : 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[y * n + x] = 0.5f * t[ly + 1][lx + 1] +
                     0.125f * (t[ly][lx + 1] + t[ly + 2][lx + 1] + t[ly + 1][lx] + t[ly + 1][lx + 2]);
}
