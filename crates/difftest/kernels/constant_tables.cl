// Program-scope constants, two-dimensional tables, a __constant argument.
// launch: block=64 grid=1
// arg: table=i32[16]:random
// arg: out=i32[128]
#pragma OPENCL FP_CONTRACT OFF

constant int primes[8] = {2, 3, 5, 7, 11, 13, 17, 19};
constant float weights[2][3] = {{0.25f, 0.5f, 0.25f}, {1.0f, -1.0f, 2.0f}};
constant uint seed = 12345u;
kernel void constants(constant int *table, global int *out) {
    size_t i = get_global_id(0);
    float w = weights[i & 1][i % 3];
    out[2 * i] = table[i % 16] + primes[i % 8] + (int)seed;
    out[2 * i + 1] = (int)(w * 8.0f);
}
