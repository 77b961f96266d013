// lockstep: search
// Flags are set atomically, so that rows may share an entry.
__global__ void flag_rows(const unsigned *first, unsigned *flag, unsigned rows) {
    unsigned r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < rows)
        atomicOr(&flag[first[r]], 1u);
}
