// Rows of 6 ints are not all at multiples of 16 bytes; rows of 8 are.
// lockstep[six]: run --block 4 --grid 1 --arg 'a=i32[32]' --arg pitch=6
// lockstep[eight]: run --block 4 --grid 1 --arg 'a=i32[32]' --arg pitch=8
__global__ void k(int *a, int pitch) {
    int t = threadIdx.x;
    *reinterpret_cast<int4 *>(a + pitch * t) = make_int4(t, t, t, t); //~[six] misaligned
}
