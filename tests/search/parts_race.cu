// lockstep: search
// The last element of a part is the first of the next.
__global__ void fill(float *out, int n, int part) {
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * part;
    for (int k = 0; k <= part && first + k < n; k++) out[first + k] = k;  //~ data-race
}
