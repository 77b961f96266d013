// Every case has its own barrier.
// lockstep: run --block 64 --grid 1 --arg 'out=i32[64]'
__global__ void k(int *out) {
    int t = threadIdx.x;
    switch (t / 32) {
    case 0:
        out[t] = 3;
        __syncthreads(); //~ barrier-divergence
        break;
    default:
        out[t] = 4;
        __syncthreads(); //~ barrier-divergence
        out[t] += 1;
    }
}
