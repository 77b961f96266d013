// OpenCL promises nothing about neighbours: a work-group of one warp's size races too.
// lockstep: run --block 8 --grid 1 --arg 'out=i32[8]'
kernel void k(global int *out) {
    local int s[8];
    int t = get_local_id(0);
    s[t] = t; //~ data-race
    out[t] = s[t ^ 1]; //~ data-race
}
