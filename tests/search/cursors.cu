// lockstep: search --only data-race
// exit: 3
// Each particle goes where the cursor of its cell stands. The caller lets every cursor begin behind the cells before.
struct Particle { float x, y, z; int cell; };

__global__ void place(const Particle *p, int *cursor, Particle *sorted, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int at = atomicAdd(&cursor[p[i].cell], 1);
    sorted[at] = p[i];
}

// Two of them in one place, whatever the cursors are: as far as was tried, they are equal.
__global__ void place_pairs(const Particle *p, int *cursor, Particle *sorted, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int at = atomicAdd(&cursor[p[i].cell], 1) / 2;
    sorted[at] = p[i]; //~ data-race warning
}

// The cells stand in an array of their own.
__global__ void place_by_cells(const int *cell, const float *value, int *cursor, float *sorted, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    sorted[atomicAdd(&cursor[cell[i]], 1)] = value[i]; //~ data-race warning
}
