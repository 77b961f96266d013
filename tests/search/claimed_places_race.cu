// lockstep: search
// Who claims an empty place of a table owns it; who finds its own key there does not, and writes all the same.
__global__ void put(int *keys, float *weights, const int *key, const float *weight, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int mine = key[i] & 15, at = mine;
    int old = atomicCAS(&keys[at], -1, mine);
    if (old == -1 || old == mine) weights[at] = weight[i]; //~ data-race
}
