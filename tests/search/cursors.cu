// lockstep: search --only data-race
// Each particle goes where the cursor of its cell stands. The caller lets every cursor begin behind the cells before.
struct Particle { float x, y, z; int cell; };

__global__ void place(const Particle *p, int *cursor, Particle *sorted, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int at = atomicAdd(&cursor[p[i].cell], 1);
    sorted[at] = p[i]; //~ data-race warning
}

// Two of them in one place, whatever the cursors are.
__global__ void place_pairs(const Particle *p, int *cursor, Particle *sorted, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int at = atomicAdd(&cursor[p[i].cell], 1) / 2;
    sorted[at] = p[i]; //~ data-race
}

// The cells stand in an array of their own.
__global__ void place_by_cells(const int *cell, const float *value, int *cursor, float *sorted, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    sorted[atomicAdd(&cursor[cell[i]], 1)] = value[i]; //~ data-race warning
}
