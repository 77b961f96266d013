// Of one thread that is given, nothing has to be proved. no_index_race.cu has no launch.
// lockstep: check --block 1 --grid 1
__global__ void k(int *o) {
    o[0] = o[0] + 1;
}
