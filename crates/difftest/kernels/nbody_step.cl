// One step of an n-body simulation, bodies tiled through local memory.
// launch: block=32 grid=2
// ulp: 64
// arg: pos=f32[256]:random(1,8)
// arg: acc=f32[256]
#pragma OPENCL FP_CONTRACT OFF

kernel void nbody(global const float4 *pos, global float4 *acc) {
    local float4 tile[32];
    size_t i = get_global_id(0);
    uint l = get_local_id(0);
    float4 p = pos[i], sum = (float4)(0.0f);
    for (uint t = 0; t < get_global_size(0); t += 32) {
        tile[l] = pos[t + l];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint j = 0; j < 32; j++) {
            float4 d = tile[j] - p;
            float r2 = d.x * d.x + d.y * d.y + d.z * d.z + 0.5f;
            float inv = 1.0f / sqrt(r2);
            float s = tile[j].w * inv * inv * inv;
            sum.xyz += fabs(d.xyz) * s;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    acc[i] = sum;
}
