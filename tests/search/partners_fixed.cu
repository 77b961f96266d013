// lockstep: search
// The lower of two partners looks and swaps.
__global__ void exchange(float *v, int distance, int run) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, other = i ^ distance;
    if (other > i) {
        float mine = v[i], theirs = v[other];
        bool up = (i & run) == 0;
        if (up ? mine > theirs : mine < theirs) {
            v[i] = theirs;
            v[other] = mine;
        }
    }
}
