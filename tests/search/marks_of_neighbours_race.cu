// lockstep: search
// As marks_of_neighbours_possible.cu, but a thread reads the element beside its own.
__global__ void follow(const int *from, int *level, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) level[i] = 3 * level[(i + 1) % n] * from[i]; //~ data-race
}
