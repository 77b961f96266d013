// A null pointer that is asked for first: clean.
// lockstep: run --block 8 --grid 1 --arg 'p=null' --arg 'out=i32[8]'
__global__ void k(const int *p, int *out) {
    out[threadIdx.x] = p ? p[threadIdx.x] : -1;
}
