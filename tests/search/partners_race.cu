// lockstep: search
// Both partners look, and one of them swaps.
__global__ void exchange(float *v, int distance, int run) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, other = i ^ distance;
    float mine = v[i], theirs = v[other]; //~ data-race //~ data-race
    bool up = (i & run) == 0;
    if (up ? mine > theirs : mine < theirs) {
        v[i] = theirs; //~ data-race //~ data-race
        v[other] = mine; //~ data-race
    }
}
