// lockstep: search
// Two columns of a matrix are turned by an angle that every work-item computes from all of both. Two races: a work-item
// turns its own element while others still read it, and the norms are read before all are there. rotate_fixed.cl has a
// barrier at both places.
kernel void rotate(global float *restrict p, global const float *restrict q, global float *restrict norm) {
    local float a[1024], b[1024], n[1024];
    int t = get_local_id(0), size = get_local_size(0), i = get_global_id(0);
    a[t] = p[i];
    b[t] = q[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    float dot = 0;
    for (int k = 0; k < size; k++)
        dot += a[k] * b[k]; //~ data-race
    float turned = p[i] - dot * b[t];
    a[t] = turned; //~ data-race
    n[t] = turned * turned; //~ data-race
    p[i] = a[t];
    if (t == 0) {
        float sum = 0;
        for (int k = 0; k < size; k++)
            sum += n[k]; //~ data-race
        norm[get_group_id(0)] = sum;
    }
}
