// A flag in shared memory that only another configuration sets.
// lockstep: run --block 32 --grid 1 --arg 'out=i32[32]' --arg set=0
__global__ void k(int *out, int set) {
    __shared__ int flag;
    int t = threadIdx.x;
    if (set && t == 0)
        flag = 1;
    __syncthreads();
    if (flag) //~ uninitialised-read
        out[t] = t;
}
