// Every thread stores the same value: a race still, but a benign one.
// lockstep: run --block 64 --grid 1 --arg 'found=i32[1]'
__global__ void k(int *found) {
    found[0] = 1; //~ data-race warning
}
