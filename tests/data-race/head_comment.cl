//--local_size=64 --num_groups=1
// Dimensions from the head of the file, arguments of Lockstep's choice.
kernel void k(global int *out) {
    local int s[64];
    int t = get_local_id(0);
    s[t] = t; //~ data-race
    out[t] = s[t ^ 32]; //~ data-race
}
