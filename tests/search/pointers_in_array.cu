// lockstep: check
// Arrays of pointers in a struct, by constant and by variable index.
struct Planes {
    float *plane[4];
    int used;
};

__global__ void fill(Planes p) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < 4; k++) p.plane[k][i] = k;
}

__global__ void mix(Planes p) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < p.used) p.plane[0][i] = p.plane[1][i] + p.plane[2][i];
}

__global__ void squeeze(Planes p) {
    float *own = p.plane[blockIdx.x & 1];
    own[threadIdx.x / 2] = threadIdx.x; //~ data-race
}
