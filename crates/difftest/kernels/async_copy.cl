// async_work_group_copy in both directions, and the strided form.
// launch: block=32 grid=2
// arg: in=i32[128]:random
// arg: out=i32[128]
#pragma OPENCL FP_CONTRACT OFF

kernel void copies(global const int *in, global int *out) {
    local int a[64], b[32];
    uint g = get_group_id(0), l = get_local_id(0);
    event_t e = async_work_group_copy(a, in + 64 * g, 64, 0);
    wait_group_events(1, &e);
    b[l] = a[2 * l] ^ a[2 * l + 1];
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t f = async_work_group_strided_copy(out + 64 * g, b, 32, 2, 0);
    wait_group_events(1, &f);
}
