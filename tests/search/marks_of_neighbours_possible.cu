// lockstep: search
// exit: 3
// Each thread reads an element that another array names: whether that is one that another thread writes is up to the
// caller, and Lockstep made up the names. marks_of_neighbours_race.cu reads the element beside, whatever the names are.
__global__ void follow(const int *from, int *level, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) level[i] = 3 * level[from[i] % n]; //~ data-race
}
