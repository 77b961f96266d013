// lockstep: check --only uninitialised-read
// exit: 1
// How often a system is halved is a logarithm of its size, which the host takes: not every number of rounds goes with every
// size, and what shows only for others is possible at most.
#include <math.h>

// Right for the rounds that the host gives: then the pairs at the end are all there is.
__global__ void reduction(const float *a, const float *b, float *x, int n, int rounds) {
    extern __shared__ float s[];
    float *sa = s, *sb = s + n, *sx = s + 2 * n;
    int t = threadIdx.x, g = blockIdx.x * n + t;
    sa[t] = a[g];
    sb[t] = b[g];
    __syncthreads();
    int apart = 1;
    for (int round = 0; round < rounds; round++) {
        int right = t + apart < n ? t + apart : n - 1, left = t - apart >= 0 ? t - apart : 0;
        float na = sa[left] * sa[right], nb = sb[t] - sb[left] * sa[right];
        __syncthreads();
        sa[t] = na;
        sb[t] = nb;
        apart *= 2;
        __syncthreads();
    }
    if (t < apart) {
        float both = sa[t] * sb[t + apart];
        sx[t] = both;
        sx[t + apart] = -both;
    }
    __syncthreads();
    x[g] = sx[t]; //~ uninitialised-read
}

// Wrong whatever it is.
__global__ void never(const float *in, float *out, int n, int rounds) {
    extern __shared__ float s[];
    int t = threadIdx.x;
    for (int round = 0; round < rounds; round++) {
        s[t] = in[blockIdx.x * n + t];
        __syncthreads();
        out[blockIdx.x * n + t] += s[t] + s[n + t]; //~ uninitialised-read
        __syncthreads();
    }
}

void run(const float *a, const float *b, float *x, int n, int systems) {
    int rounds = (int)log2((double)(n / 2));
    reduction<<<systems, n, 3 * n * sizeof(float)>>>(a, b, x, n, rounds);
    never<<<systems, n, 2 * n * sizeof(float)>>>(a, x, n, rounds);
}
