// lockstep: search
// The same without the barrier: a race of one line, too.
__kernel void soften(__global const float *in, __global float *out, int w, __local float *line) {
    int x = get_global_id(0), y = get_global_id(1), l = get_local_id(0);
    line[l] = in[y * w + min(x, w - 1)]; //~ data-race //~ data-race warning
    float left = l > 0 ? line[l - 1] : 0.0f; //~ data-race
    if (x < w) out[y * w + x] = left + line[l]; //~ data-race warning
}
