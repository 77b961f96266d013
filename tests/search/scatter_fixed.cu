// lockstep: search
// Each thread stores to its own place and reads where the table says.
__global__ void permute(const int *__restrict__ perm, const int *__restrict__ in, int *__restrict__ out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[perm[i]];
}
