// The same in CUDA.
// lockstep[false]: run --block 16 --grid 1 --arg 'a=i32[16]:iota' --arg limit=10
// lockstep[true]: run --block 16 --grid 1 --arg 'a=i32[16]:iota' --arg limit=16
__global__ void k(int *a, int limit) {
    int t = threadIdx.x;
    __assert(a[t] < limit); //~[false] assertion
    a[t] = 0;
}
