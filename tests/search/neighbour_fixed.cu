// lockstep: search
// The sums go to an array of their own.
__global__ void add_neighbour(const unsigned *__restrict__ data, unsigned *__restrict__ sums, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + 1 < n)
        sums[i] = data[i] + data[i + 1];
}
