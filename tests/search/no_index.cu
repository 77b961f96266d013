// lockstep: check
// Without any index a kernel is made for one thread, unless it has what only several threads need: then its blocks, and
// with atomics of the whole device its grid, are as large as any.
__global__ void drawn_in_a_block(int *next, int *places) {
    int mine = atomicAdd_block(next, 1);
    places[mine] = mine;
}

__global__ void drawn_in_pairs(int *next, int *places) {
    int mine = atomicAdd(next, 1);
    places[mine / 2] = mine; //~ data-race
}

__global__ void alone(int *total, const int *parts, int n) {
    int sum = 0;
    for (int i = 0; i < n; i++) sum += parts[i];
    *total = sum; //~ data-race warning
}
