// lockstep: check --only uninitialised-read
// exit: 1
// How often a system is halved is counted by a loop of the host: not every number of rounds goes with every size, and what
// shows only for others is possible at most. A loop that the launch is in passes one value after the other.

// Right for the rounds that the host gives: then the pairs at the end are all there is.
__global__ void pairs(const float *a, float *x, int n, int rounds) {
    extern __shared__ float s[];
    float *sa = s, *sx = s + n;
    int t = threadIdx.x, g = blockIdx.x * n + t;
    sa[t] = a[g];
    __syncthreads();
    int apart = 1;
    for (int round = 0; round < rounds; round++) {
        float left = t - apart >= 0 ? sa[t - apart] : 0;
        __syncthreads();
        sa[t] += left;
        apart *= 2;
        __syncthreads();
    }
    if (t < apart) {
        float both = sa[t] * sa[t + apart];
        sx[t] = both;
        sx[t + apart] = -both;
    }
    __syncthreads();
    x[g] = sx[t]; //~ uninitialised-read
}

// Wrong for the rounds that the host gives: half as many threads as there are pairs write what all read. Nobody knows that they
// are given.
__global__ void half(const float *a, float *x, int n, int rounds) {
    extern __shared__ float s[];
    int t = threadIdx.x, g = blockIdx.x * n + t;
    if (t < 1 << rounds) s[t] = a[g];
    __syncthreads();
    x[g] = s[t]; //~ uninitialised-read
}

// Wrong whatever they are.
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

// Each round is a launch of its own: also those whose halves are far apart.
__global__ void round_of(const float *a, float *x, int n, int apart) {
    __shared__ float s[256];
    int t = threadIdx.x;
    if (apart < 8 || t % 2 == 0) s[t] = a[t];
    __syncthreads();
    if (t < n) x[t] = s[t]; //~ uninitialised-read
}

// The rounds of a part are counted anew for each of them.
__global__ void parts(const float *a, float *x, int part, int rounds) {
    extern __shared__ float s[];
    int t = threadIdx.x;
    if (t < 1 << rounds) s[t] = a[t];
    __syncthreads();
    if (t < part) x[t] = s[t]; //~ uninitialised-read
}

static int halvings(int n) {
    int rounds = 0;
    while (n > 1) {
        n >>= 1;
        rounds++;
    }
    return rounds;
}

void run(const float *a, float *x, int n, int systems) {
    int rounds = halvings(n / 2);
    pairs<<<systems, n, 2 * n * sizeof(float)>>>(a, x, n, rounds);
    half<<<systems, n, n * sizeof(float)>>>(a, x, n, rounds);
    never<<<systems, n, 2 * n * sizeof(float)>>>(a, x, n, rounds);
    for (int apart = n / 2; apart > 0; apart /= 2) round_of<<<(n + 255) / 256, 256>>>(a, x, n, apart);
    for (int part = 2; part < n; part++) {
        int enough = 0;
        while ((1 << enough) < part) enough++;
        parts<<<1, 1 << enough, sizeof(float) << enough>>>(a, x, part, enough);
    }
}
