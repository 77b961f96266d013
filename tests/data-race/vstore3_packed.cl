// vstore3 packs: three elements each, none shared. Clean.
// lockstep: run --block 64 --grid 1 --arg 'out=i32[192]'
kernel void k(global int *out) {
    int t = get_local_id(0);
    vstore3((int3)(t, t + 1, t + 2), t, out);
}
