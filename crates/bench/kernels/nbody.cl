// Accelerations of n bodies, tiled through local memory; block of 64.
kernel void nbody(global const float4 *pos, global float4 *acc, int n) {
    local float4 tile[64];
    int i = get_global_id(0), l = get_local_id(0);
    float4 p = pos[i];
    float ax = 0.0f, ay = 0.0f, az = 0.0f;
    for (int t = 0; t < n; t += 64) {
        tile[l] = pos[t + l];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int j = 0; j < 64; j++) {
            float4 q = tile[j];
            float dx = q.x - p.x, dy = q.y - p.y, dz = q.z - p.z;
            float inv = 1.0f / sqrt(dx * dx + dy * dy + dz * dz + 0.01f);
            float s = q.w * inv * inv * inv;
            ax += dx * s;
            ay += dy * s;
            az += dz * s;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    acc[i] = (float4)(ax, ay, az, 0.0f);
}
