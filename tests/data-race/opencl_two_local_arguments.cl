// Two __local arguments do not overlap: clean.
// lockstep: run --block 64 --grid 1 --arg 'out=i32[64]' --arg 'a=i32[64]' --arg 'b=i32[64]'
kernel void k(global int *out, local int *a, local int *b) {
    int t = get_local_id(0);
    a[t] = t;
    b[63 - t] = t;
    out[t] = a[t] + b[63 - t];
}
