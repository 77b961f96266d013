// A structure with padding goes through shared memory: clean.
// lockstep: run --block 32 --grid 1 --arg 'out=u8[256]'
struct Item {
    char tag;
    int value;
};

__global__ void k(Item *out) {
    __shared__ Item s[32];
    int t = threadIdx.x;
    s[t].tag = 1;
    s[t].value = t;
    __syncthreads();
    out[t] = s[31 - t];
}
