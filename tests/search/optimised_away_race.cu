// A read whose value nobody uses races all the same: options that would optimise it away are not followed.
// lockstep: check --only data-race -- -O3
__global__ void probe(int *a) {
    int unused = a[0]; //~ data-race
    (void)unused;
    a[threadIdx.x + 1] = 1;
    if (threadIdx.x == 3) a[0] = 4; //~ data-race
}
