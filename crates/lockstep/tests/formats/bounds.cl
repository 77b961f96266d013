// Twice as far as the array goes: 100% of the work-items of group 1 miss it.
__kernel void twice(__global int *a, int n) {
    size_t i = get_global_id(0);
    a[2 * i] = n;
}
