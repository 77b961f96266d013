// Threads store where data says: they race where two elements are equal, unless every content is one that a caller may pass.
// lockstep[given]: check --block 32 --grid 1 --symbolic --arg idx=i32[32] --arg in=i32[32] --arg out=i32[32] --arg n=32
// lockstep[any]: check --block 32 --grid 1 --symbolic --arg idx=i32[32]:symbolic --arg in=i32[32]:symbolic --arg out=i32[32] --arg n=32
// lockstep[distinct]: check --block 32 --grid 1 --symbolic --arg idx=i32[32]:iota --arg in=i32[32] --arg out=i32[32] --arg n=32
__global__ void scatter(const int *idx, const int *in, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && idx[i] >= 0 && idx[i] < n) out[idx[i]] = in[i]; //~[any] data-race //~[given] data-race warning
}
