// A precondition of a function that the kernel calls is an assertion, not an assumption.
// lockstep: run --block 32 --grid 1 --arg 'a=i32[32]:iota' --arg n=31
__device__ int within(const int *a, int i, int n) {
    __requires(i < n); //~ assertion
    return a[i];
}

__global__ void k(int *a, int n) {
    __requires(n > 0);
    a[threadIdx.x] = within(a, threadIdx.x, n);
}
