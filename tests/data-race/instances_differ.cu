// lockstep: check --block 64 --grid 1 --only data-race
// Two instances of one template at one place: in the first all threads store one value, in the second each its own. What
// is shown is the worse.
template <bool SAME> __global__ void last(int *out) {
    *out = SAME ? 1 : (int)threadIdx.x; //~ data-race
}
template __global__ void last<true>(int *);
template __global__ void last<false>(int *);
