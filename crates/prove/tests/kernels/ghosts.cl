// --block 64 --grid 4
// Conditions over another tool's ghost state say nothing: they are neither assumed nor checked.
__kernel void racy_offset(__global int *a, int n) {
    __requires(__ptr_offset_bytes(a) == 4);
    __assert(n > 0);
    a[0] = get_local_id(0);
}
__kernel void racy_logged(__global int *a, int n) {
    __requires(__implies(__write(a), __write_offset_bytes(a) / 4 == get_global_id(0)));
    __requires(__read_offset(a) > 70);
    __assert(n > 0);
    a[n] = get_global_id(0);
}
__kernel void clean_other(__global int *a, int n) {
    __assert(__other_int(n) == 12345);
    a[get_global_id(0)] = n;
}
// Sums that are meant not to overflow, and the operations that saturate.
__kernel void clean_no_overflow(__global int *a, int x, int y) {
    int z = __add_noovfl_int(x, y);
    __assert(!(x > 0) || z > y);
    __assert(add_sat(x, 1) > x || x == 2147483647);
    __assert(sub_sat((uint)x, (uint)y) <= (uint)x);
    a[get_global_id(0)] = z;
}
