// lockstep: run --block 16 --grid 2 --arg 'p=f32[128]:random' --arg 'force=f32[128]'
kernel void nbody(global const float4 *p, global float4 *force) {
    local float4 tile[16];
    int t = get_local_id(0), i = get_global_id(0), n = get_global_size(0);
    float4 me = p[i], sum = (float4)(0.0f);
    for (int base = 0; base < n; base += 16) {
        tile[t] = p[base + t];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int j = 0; j < 16; j++) {
            float3 d = tile[j].xyz - me.xyz;
            float r = rsqrt(dot(d, d) + 0.01f);
            sum.xyz += d * (tile[j].w * r * r * r);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    force[i] = sum;
}
