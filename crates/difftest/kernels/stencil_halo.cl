// A five-point stencil with a halo in local memory.
// launch: block=8,8 grid=4,4
// arg: in=f32[1024]:random
// arg: out=f32[1024]
#pragma OPENCL FP_CONTRACT OFF

kernel void stencil(global const float *in, global float *out) {
    local float t[10][10];
    int x = (int)get_global_id(0), y = (int)get_global_id(1), lx = (int)get_local_id(0), ly = (int)get_local_id(1);
    int w = (int)get_global_size(0), h = (int)get_global_size(1);
    t[ly + 1][lx + 1] = in[y * w + x];
    if (lx == 0) t[ly + 1][0] = x > 0 ? in[y * w + x - 1] : 0.0f;
    if (lx == 7) t[ly + 1][9] = x < w - 1 ? in[y * w + x + 1] : 0.0f;
    if (ly == 0) t[0][lx + 1] = y > 0 ? in[(y - 1) * w + x] : 0.0f;
    if (ly == 7) t[9][lx + 1] = y < h - 1 ? in[(y + 1) * w + x] : 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[y * w + x] = 0.5f * t[ly + 1][lx + 1] +
                     0.125f * (t[ly][lx + 1] + t[ly + 2][lx + 1] + t[ly + 1][lx] + t[ly + 1][lx + 2]);
}
