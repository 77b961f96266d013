// lockstep: check
// exit: 0
// Each round of a loop on the host is a launch, and none of these has a race.

// The two arrays are exchanged: they stay two.
__global__ void shift(const int *from, int *to) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] = from[i + 1];
}

// The parts lie apart in every round.
__global__ void parts(const int *from, int *to) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] = from[i];
}

// No step is below the number of threads.
__global__ void add(int *a, int step) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] += a[i + step];
}

// Wrong for steps from 32 on, which no round has.
__global__ void fold(int *a, int step) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (step < 32) a[i] = step; else a[i / 2] = i;
}

void host(int rounds) {
    int *d, *e;
    cudaMalloc(&d, 1 << 18);
    cudaMalloc(&e, 1 << 18);
    for (int i = 0; i < 3; i++) parts<<<2, 64>>>(d, d + 128 + 64 * i);
    for (int step = 128; step <= 1024; step *= 2) add<<<2, 64>>>(d, step);
    for (int step = 1; step < 32; step *= 2) fold<<<2, 64>>>(d, step);
    for (int i = 0; i < rounds; i++) {
        shift<<<2, 64>>>(d, e);
        int *other = d;
        d = e;
        e = other;
    }
}
