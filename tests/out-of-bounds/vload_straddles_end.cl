// vload4 of the last three elements.
// lockstep: run --block 16 --grid 1 --arg 'a=f32[63]:iota' --arg 'out=f32[16]'
kernel void k(global const float *a, global float *out) {
    int t = get_local_id(0);
    float4 v = vload4(t, a); //~ out-of-bounds
    out[t] = v.x + v.w;
}
