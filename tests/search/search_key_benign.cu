// lockstep: search
// Whoever finds the key says so, by storing the same 1 as everyone else: benign.
__global__ void find(const int *in, int *found, int key, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] == key)
        *found = 1; //~ data-race warning
}
