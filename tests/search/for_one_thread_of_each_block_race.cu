// lockstep: search
// The threads of a block are not told apart, and each takes the new value for the old one.
// for_one_thread_conditional.cu is for one thread.
__global__ void halve(float *sums, int parts) {
    float mine = sums[blockIdx.x] + threadIdx.x; //~ data-race
    sums[blockIdx.x] = mine / parts; //~ data-race
}
