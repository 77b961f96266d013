// A volatile read whose value goes into a sum is no look at a flag.
// lockstep: check --only data-race --block 32 --grid 1
__global__ void halve(volatile float *s) {
    if (threadIdx.x < 16) s[threadIdx.x] = s[threadIdx.x] + s[threadIdx.x + 8]; //~ data-race
}
