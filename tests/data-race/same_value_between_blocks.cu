// The flag idiom across blocks.
// lockstep: run --block 32 --grid 4 --arg 'a=i32[128]:iota' --arg 'found=i32[1]'
__global__ void k(const int *a, int *found) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (a[i] % 2 == 0)
        *found = 1; //~ data-race warning
}
