// The same with a plain read at first: the swap finds out whether it was right.
// lockstep: run --block 32 --grid 2 --arg 'sum=f64[1]'
__device__ void add(double *p, double v) {
    unsigned long long *bits = reinterpret_cast<unsigned long long *>(p);
    unsigned long long old = *bits, seen;
    do {
        seen = old;
        old = atomicCAS(bits, seen, __double_as_longlong(v + __longlong_as_double(seen)));
    } while (old != seen);
}

__global__ void k(double *sum) {
    add(sum, 0.5);
}
