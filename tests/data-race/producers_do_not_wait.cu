// Producers arrive and go on: nothing keeps them from the next round while the consumers still read.
// lockstep: run --block 128 --grid 1 --arg 'out=i32[64]' --arg 'in=i32[256]:iota' --arg rounds=4
__global__ void ahead(int *out, const int *in, int rounds) {
    __shared__ int s[64];
    int t = threadIdx.x;
    if (t < 64) {
        for (int k = 0; k < rounds; ++k) {
            s[t] = in[k * 64 + t]; //~ data-race
            asm volatile("bar.arrive 1, 128;" ::: "memory");
        }
    } else {
        int sum = 0;
        for (int k = 0; k < rounds; ++k) {
            asm volatile("bar.sync 1, 128;" ::: "memory");
            sum += s[127 - t]; //~ data-race
        }
        out[t - 64] = sum;
    }
}
