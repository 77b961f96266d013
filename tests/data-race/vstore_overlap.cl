// vstore3 at steps of two elements.
// lockstep: run --block 64 --grid 1 --arg 'out=i32[256]'
kernel void k(global int *out) {
    int t = get_local_id(0);
    vstore3((int3)(t, t + 1, t + 2), 0, out + 2 * t); //~ data-race
}
