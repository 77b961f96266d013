// The product does not fit an int and comes back negative.
// lockstep: run --block 4 --grid 1 --arg 'a=i32[64]' --arg stride=1073741824
__global__ void k(int *a, unsigned stride) {
    int i = (int)(threadIdx.x * stride);
    if (i < 64)
        a[i] = i; //~ out-of-bounds
}
