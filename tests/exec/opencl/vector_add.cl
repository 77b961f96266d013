__constant float bias[2] = {0.0f, 1.0f};

float biased(float x, int i) { return x + bias[i & 1]; }

__kernel void add(__global const float *a, __global const float *b, __global float *out, int n) {
    int i = get_global_id(0);
    if (i < n) out[i] = biased(a[i] + b[i], i);
}
