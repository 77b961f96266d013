// A thread's own array of four elements.
// lockstep: run --block 8 --grid 1 --arg 'out=i32[8]' --arg n=5
__global__ void k(int *out, int n) {
    int own[4];
    int t = threadIdx.x;
    for (int i = 0; i < n; i++)
        own[(i + t) % 5] = i; //~ out-of-bounds
    out[t] = own[t % 4];
}
