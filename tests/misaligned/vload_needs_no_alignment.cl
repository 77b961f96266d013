// vload4 needs only the element's alignment: clean.
// lockstep: run --block 8 --grid 1 --arg 'a=f32[33]:iota' --arg 'out=f32[8]'
kernel void k(global const float *a, global float *out) {
    int t = get_local_id(0);
    float4 v = vload4(t, a + 1);
    out[t] = v.x + v.w;
}
