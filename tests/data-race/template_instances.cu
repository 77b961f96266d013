// Two instances of one template: the small one stays in its own lane's elements, the other does not.
// lockstep[four]: run --kernel 'k<4>' --block 64 --grid 1 --arg 'out=i32[256]'
// lockstep[two]: run --kernel 'k<2>' --block 64 --grid 1 --arg 'out=i32[256]'
template <int STEP>
__global__ void k(int *out) {
    for (int j = 0; j < 4; j++)
        out[STEP * threadIdx.x + j] = threadIdx.x; //~[two] data-race
}

template __global__ void k<4>(int *);
template __global__ void k<2>(int *);
