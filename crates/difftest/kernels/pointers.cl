// Pointers into private, local and global memory, arithmetic on them, a choice between two.
// launch: block=32 grid=2
// arg: in=i32[64]:random
// arg: out=i32[64]
#pragma OPENCL FP_CONTRACT OFF

kernel void pointers(global const int *in, global int *out) {
    int i = (int)get_global_id(0), l = (int)get_local_id(0);
    local int tile[32];
    tile[l] = in[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    int a = 3, b = 5;
    int *p = (l & 1) ? &a : &b;
    *p += l;
    int **q = &p;
    **q *= 2;
    const local int *t = tile + 31;
    t -= l;
    global const int *g = &in[i], *end = in + 64;
    int left = (int)(end - g);
    int arr[4] = {a, b, *t, left};
    int *last = arr + 3, sum = 0;
    for (int *e = arr; e <= last; ++e) sum = sum * 3 ^ *e;
    out[i] = sum;
}
