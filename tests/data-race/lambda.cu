// The read is in a lambda.
// lockstep: run --block 64 --grid 1 --arg 'out=i32[64]'
__global__ void k(int *out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    auto mirrored = [&](int i) {
        return s[63 - i]; //~ data-race
    };
    s[t] = t; //~ data-race
    out[t] = mirrored(t);
}
