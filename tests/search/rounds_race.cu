// lockstep: check
// exit: 1
// Each round of a loop on the host is a launch: what it passes then is known, and what races then is found.

// Right for two arrays. In the second round both are one.
__global__ void shift(const int *from, int *to) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] = from[i + 1]; //~ data-race
}

// Right for parts that lie apart; those of the first rounds do not.
__global__ void parts(const int *from, int *to) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] = from[i]; //~ data-race
}

// Right for steps of 128 and more; the host begins with 1.
__global__ void add(int *a, int step) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] += a[i + step]; //~ data-race
}

// Right for steps below 32; only the last round of the host goes beyond.
__global__ void fold(int *a, int step) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (step < 32) a[i] = step; else a[i / 2] = i; //~ data-race
}

void host(int rounds) {
    int *d, *e;
    cudaMalloc(&d, 1 << 18);
    cudaMalloc(&e, 1 << 18);
    for (int i = 0; i < 4; i++) parts<<<2, 64>>>(d, d + 192 - 64 * i);
    for (int step = 1; step < rounds; step *= 2) add<<<2, 64>>>(d, step);
    for (int step = 1; step <= 32; step *= 2) fold<<<2, 64>>>(d, step);
    for (int i = 0; i < rounds; i++) {
        shift<<<2, 64>>>(d, e);
        e = d;
    }
}
