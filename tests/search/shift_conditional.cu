// lockstep: search --may-alias
// An array is shifted by one: clean unless both pointers are the same. shift_fixed.cu promises that they are not.
__global__ void shift(const int *in, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + 1 < n)
        out[i] = in[i + 1]; //~ data-race warning
}
