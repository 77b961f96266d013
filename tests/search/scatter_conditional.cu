// lockstep: search
// Elements are stored where a permutation says. Nothing in the source says that it is one: for an array with an entry that
// occurs twice there is a race. scatter_fixed.cu gathers.
__global__ void permute(const int *__restrict__ perm, const int *__restrict__ in, int *__restrict__ out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[perm[i]] = in[i]; //~ data-race warning
}
