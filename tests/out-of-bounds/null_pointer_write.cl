// A write through null.
// lockstep: run --block 8 --grid 1 --arg 'p=null'
kernel void k(global int *p) {
    p[get_global_id(0)] = 1; //~ out-of-bounds
}
