// A filter with a table of nine: a halo that is too small for more taps than a block has threads is hardly a fault. Where the
// table is left as well, nothing else is confirmed.
// exit: 1
__constant__ float weights[9];

__global__ void smooth(const float *in, float *out, int length, int taps) {
    extern __shared__ float cells[];
    int reach = taps / 2, t = threadIdx.x, first = blockIdx.x * blockDim.x;
    cells[reach + t] = first + t < length ? in[first + t] : 0.0f;
    if (t < reach) {
        int left = first + t - reach, right = first + blockDim.x + t;
        cells[t] = left < 0 ? 0.0f : in[left];
        cells[reach + blockDim.x + t] = right < length ? in[right] : 0.0f;
    }
    __syncthreads();
    float sum = 0.0f;
    for (int k = 0; k < taps; k++)
        sum += cells[t + k] * weights[k]; //~ uninitialised-read //~ out-of-bounds
    if (first + t < length) out[first + t] = sum;
}

// The same without the barrier, which is wrong for any number of taps.
__global__ void hasty(const float *in, float *out, int length, int taps) {
    extern __shared__ float cells[];
    int t = threadIdx.x, first = blockIdx.x * blockDim.x;
    cells[t] = first + t < length ? in[first + t] : 0.0f; //~ data-race
    if (t < taps) cells[blockDim.x + t] = 0.0f; //~ data-race
    float sum = 0.0f;
    for (int k = 0; k < taps; k++)
        sum += cells[t + k] * weights[k]; //~ data-race //~ data-race //~ uninitialised-read //~ out-of-bounds
    if (first + t < length) out[first + t] = sum;
}
