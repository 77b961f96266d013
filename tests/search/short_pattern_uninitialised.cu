// lockstep: search
// The last letter of the pattern is not loaded, however long it is.
__global__ void find(const char *text, int n, const char *pattern, int length, int *hits) {
    __shared__ char p[256];
    if (length > 256)
        return;
    for (int k = threadIdx.x; k < length; k += blockDim.x)
        if (k != length - 1)
            p[k] = pattern[k];
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + length <= n) {
        bool same = text[i] == p[0] && p[1] == text[i]; //~ uninitialised-read warning //~ uninitialised-read warning
        for (int k = 2; k < length; ++k)
            same = same && text[i + k] == p[k]; //~ uninitialised-read
        hits[i] = same;
    }
}
