// A launch that the kernel's own precondition excludes is no launch to check: bad input.
// lockstep: run --block 16 --grid 1 --arg 'a=i32[16]' --arg n=15
// exit: 2
__global__ void k(int *a, int n) {
    __requires(n == blockDim.x);
    a[threadIdx.x] = n;
}
