// Component s1 of each vector is written by two work-items.
// lockstep: run --block 64 --grid 1 --arg 'out=f32[128]'
kernel void k(global float4 *out) {
    int t = get_local_id(0);
    if (t < 32)
        out[t].xy = (float2)(1.0f, 2.0f); //~ data-race
    else
        out[t - 32].yz = (float2)(3.0f, 4.0f); //~ data-race
}
