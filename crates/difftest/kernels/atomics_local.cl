// Local atomics: counters, maxima, and a unique slot for every thread.
// launch: block=64 grid=2
// arg: in=i32[128]:random(0,1000)
// arg: out=i32[8]
// arg: seen=i32[128]
#pragma OPENCL FP_CONTRACT OFF

kernel void locals(global const int *in, global int *out, global int *seen) {
    local int top, count, bottom;
    local uint bits;
    local int slots[64];
    uint l = get_local_id(0), g = get_group_id(0);
    if (l == 0) { top = -1; count = 0; bottom = 2000; bits = 0; }
    slots[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    int v = in[get_global_id(0)];
    atomic_max(&top, v);
    atomic_min(&bottom, v);
    atomic_or(&bits, 1u << (v & 31));
    int at = atomic_inc(&count);
    atomic_add(&slots[at], 1);
    barrier(CLK_LOCAL_MEM_FENCE);
    seen[get_global_id(0)] = slots[l];
    if (l == 0) {
        out[4 * g] = top;
        out[4 * g + 1] = bottom;
        out[4 * g + 2] = (int)bits;
        out[4 * g + 3] = count;
    }
}
