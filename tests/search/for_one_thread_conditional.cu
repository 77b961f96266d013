// lockstep: search
// No thread asks which one it is: it is a kernel for one thread, and the host's launch is not in this file.
// for_one_thread_of_each_block_race.cu asks for its block, and all threads of a block do the same.
__global__ void halve(float *sum, int parts) {
    sum[0] = sum[0] / parts; //~ data-race warning
}
