// A function that is only `inline` has a body: clean.
// lockstep: run --block 32 --grid 1 --arg 'a=i32[32]:iota' --arg n=8
inline int within(int i, int n) { return i < n ? i : n - 1; }

kernel void k(global int *a, int n) {
    int i = get_local_id(0);
    if (i >= n) a[i] = a[within(i, n)];
}
