// The counter is reset without order.
// lockstep: run --block 64 --grid 1 --arg 'sum=i32[1]'
__global__ void k(int *sum) {
    __shared__ int s;
    int t = threadIdx.x;
    if (t == 0)
        s = 0; //~ data-race
    atomicAdd(&s, 1); //~ data-race
    __syncthreads();
    if (t == 0)
        *sum = s;
}
