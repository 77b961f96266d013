// Who counts a variable down has set it to something before.
// exit: 3
__device__ int left;

__global__ void take(int *out) {
    int i = atomicSub(&left, 1);
    if (i > 0) out[i] = i;
    else out[0] = threadIdx.x; //~ data-race
}
