// lockstep: run --block 16 --grid 1 --arg 'a=i32[16]' --arg n=16
__global__ void k(int *a, int n) {
    __requires(n == blockDim.x);
    if (threadIdx.x < n)
        a[threadIdx.x] = n;
}
