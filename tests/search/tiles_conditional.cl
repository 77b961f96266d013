// lockstep: search
// No caller has shorter rows than there are columns of threads: the size bounds a loop, but what the loop goes through is not
// a thread's own part of the result.
#define TILE 8
kernel void product(global const float *a, global const float *b, global float *c, int n) {
    local float x[TILE][TILE], y[TILE][TILE];
    int lx = get_local_id(0), ly = get_local_id(1);
    int col = get_group_id(0) * TILE + lx, row = get_group_id(1) * TILE + ly;
    float sum = 0;
    for (int k = 0; k < n / TILE; k++) {
        x[ly][lx] = a[row * n + k * TILE + lx];
        y[ly][lx] = b[(k * TILE + ly) * n + col];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = 0; i < TILE; i++)
            sum += x[ly][i] * y[i][lx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + col] = sum; //~ data-race warning
}

// The same by pointers to the rows.
kernel void rows(global const float *a, global const float *b, global float *c, int n) {
    int col = get_global_id(0), row = get_global_id(1);
    global const float *from = a + row * n;
    global float *to = c + row * n;
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += from[k] * b[k * n + col];
    to[col] = sum; //~ data-race warning
}
