// Reset, barrier, atomics, barrier, plain read: clean.
// lockstep: run --block 64 --grid 2 --arg 'sum=i32[2]'
__global__ void k(int *sum) {
    __shared__ int s;
    int t = threadIdx.x;
    if (t == 0)
        s = 0;
    __syncthreads();
    atomicAdd(&s, t);
    __syncthreads();
    if (t == 0)
        sum[blockIdx.x] = s;
}
