// Each thread clears its own row: clean.
// lockstep: run --block 64 --grid 1 --arg 'rows=u8[640]:ones'
__global__ void k(unsigned char *rows) {
    memset(rows + 10 * threadIdx.x, 0, 10);
}
