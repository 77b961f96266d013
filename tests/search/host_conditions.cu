// lockstep: check
// What the host asks for before it launches, and between what its loops count, holds of every launch.

// Elements go to a place behind all of them.
__global__ void copy_behind(float *a, int k, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i + k] = a[i];
}

// And here to one among them.
__global__ void copy_among(float *a, int k, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i + k] = a[i]; //~ data-race
}

// One block, which has room for all.
__global__ void turn(float *a, int n) {
    __shared__ float s[256];
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    a[threadIdx.x] = s[n - 1 - threadIdx.x];
}

// Nobody asks whether it has.
__global__ void turn_any(float *a, int n) {
    __shared__ float s[256];
    s[threadIdx.x] = a[threadIdx.x]; //~ out-of-bounds warning
    __syncthreads();
    a[threadIdx.x] = s[n - 1 - threadIdx.x]; //~ out-of-bounds warning
}

int run(float *a, int n) {
    for (int k = n; k < 100000; k++) copy_behind<<<(n + 127) / 128, 128>>>(a, k, n);
    for (int k = 1; k < n; k++) copy_among<<<(n + 127) / 128, 128>>>(a, k, n);
    turn_any<<<1, n>>>(a, n);
    if (n < 1 || n > 256) return 1;
    turn<<<1, n>>>(a, n);
    return 0;
}
