// lockstep: search
// The first entry of each row is flagged. Empty rows share their entry with the next, so that two threads may store the
// same 1: benign. The barrier at the end orders nothing. sparse_flags_fixed.cu is without it, and stores atomically.
__global__ void flag_rows(const unsigned *first, unsigned *flag, unsigned rows) {
    unsigned r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < rows)
        flag[first[r]] = 1; //~ data-race warning
    __syncthreads(); //~ redundant-barrier warning
}
