// A 64-bit atomic overlaps a 32-bit one: not atomic with respect to each other.
// lockstep: run --block 64 --grid 1 --arg 'sum=u64[1]'
__global__ void k(unsigned long long *sum) {
    if (threadIdx.x == 0)
        atomicAdd(sum, 1ull); //~ data-race
    if (threadIdx.x == 32)
        atomicAdd(reinterpret_cast<unsigned *>(sum) + 1, 1u); //~ data-race
}
