// lockstep: search
// Every thread takes the element that an array of indices gives it, and puts back what becomes of it. With two equal
// indices no order would make sense: the array is a permutation, and only that it need not be is said here.
// shuffle_race.cu adds to the element instead, which makes sense for equal indices.
__global__ void shuffle(const int *order, float *values, float step, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = values[order[i]]; //~ data-race warning
    for (int k = 0; k < 4; k++) v = v * step + 1.0f / (v + 2.0f);
    values[order[i]] = v; //~ data-race warning
}
