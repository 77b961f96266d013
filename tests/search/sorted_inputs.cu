// Kernels whose inputs have to be sorted, though nothing says so.

// Each run of equal digits has one first element.
__global__ void run_starts(const unsigned *keys, int *start, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned digit = keys[i] & 255;
    if (i == 0 || digit != (keys[i - 1] & 255))
        start[digit] = i; //~ data-race warning
}

// The rank of an element among those of the other array is where it goes.
__global__ void merge_left(const float *a, const float *b, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int low = 0, high = n;
    while (low < high) {
        int middle = (low + high) / 2;
        if (b[middle] < a[i])
            low = middle + 1;
        else
            high = middle;
    }
    out[i + low] = a[i]; //~ data-race warning
}

// A sort within a block, which lacks its barrier: that the input may be sorted is no excuse.
__global__ void odd_even(const int *in, int *out) {
    __shared__ int s[256];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    for (int round = 0; round < 256; round++) {
        int at = 2 * t + (round & 1);
        if (at + 1 < 256 && s[at] > s[at + 1]) { //~ data-race //~ data-race //~ data-race //~ data-race
            int higher = s[at]; //~ data-race
            s[at] = s[at + 1]; //~ data-race //~ data-race //~ data-race
            s[at + 1] = higher; //~ data-race //~ data-race //~ data-race
        }
    }
    __syncthreads();
    out[blockIdx.x * 256 + t] = s[t];
}
