// Atomics want their natural alignment too.
// lockstep: run --block 1 --grid 1 --arg 'a=u8[16]'
__global__ void k(unsigned char *a) {
    atomicAdd(reinterpret_cast<unsigned *>(a + 2), 1u); //~ misaligned
}
