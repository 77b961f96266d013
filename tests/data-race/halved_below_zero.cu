// Division rounds towards zero: from -4 over -2 to -1, where a shift would stay. Thread 1 at -1 meets thread 0 at -2.
// lockstep: check --block 2 --grid 1 --arg 'out=i32[64]' --arg first=-4
__global__ void below(int *out, int first) {
    for (int s = first; s != 0; s /= 2)
        out[threadIdx.x - s] = s; //~ data-race
}
