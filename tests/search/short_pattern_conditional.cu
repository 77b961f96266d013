// lockstep: check
// The first two letters are compared before all others, which a pattern of one letter does not have: only that one needs
// a letter that nobody loaded. short_pattern_uninitialised.cu loads one too few of any pattern.
__global__ void find(const char *text, int n, const char *pattern, int length, int *hits) {
    __shared__ char p[256];
    if (length > 256)
        return;
    for (int k = threadIdx.x; k < length; k += blockDim.x)
        p[k] = pattern[k];
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + length <= n) {
        bool same = text[i] == p[0] && p[1] == text[i]; //~ uninitialised-read warning
        for (int k = 2; k < length; ++k)
            same = same && text[i + k] == p[k];
        hits[i] = same;
    }
}
