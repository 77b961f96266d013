// lockstep: search
// A sum for each group, the group of an element in an array: two elements of one group are what it is for, and the
// sum is not atomic. The clean case is shuffle_conditional.cu, which needs a permutation.
__global__ void shuffle(const int *group, const float *in, float *sum, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float old = sum[group[i]]; //~ data-race
    float new_sum = old + in[i];
    sum[group[i]] = new_sum; //~ data-race
}
