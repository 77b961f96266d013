// A pointer past the end is computed but not followed: clean.
// lockstep: run --block 8 --grid 1 --arg 'a=i32[8]:iota' --arg 'out=i32[8]'
__global__ void k(const int *a, int *out) {
    const int *end = a + 8;
    int sum = 0;
    for (const int *p = a + threadIdx.x; p != end; p++)
        sum += *p;
    out[threadIdx.x] = sum;
}
