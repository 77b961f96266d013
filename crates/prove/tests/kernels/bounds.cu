// --block 64 --grid 4
// Bounds of static arrays: within_ is proved, beyond_ is found, perhaps_ is possible.

__global__ void within_exact() {
    __shared__ int s[64];
    s[threadIdx.x] = 1;
}
__global__ void beyond_by_one() {
    __shared__ int s[64];
    s[threadIdx.x + 1] = 1;
}
__global__ void beyond_before() {
    __shared__ int s[64];
    s[(int)threadIdx.x - 1] = 1;
}
__global__ void within_guarded() {
    __shared__ int s[64];
    if (threadIdx.x > 0) s[threadIdx.x - 1] = 1;
    for (int i = threadIdx.x; i < 64; i += 64) s[i] = 2;
}
__global__ void beyond_in_loop() {
    __shared__ int s[64];
    for (int i = 0; i <= 64; ++i) s[i] = 2;
}
__device__ int table[100];
__global__ void within_device_array() { table[threadIdx.x] = 1; }
__global__ void beyond_device_array() { table[blockIdx.x * 64 + threadIdx.x] = 1; }
__device__ int contents[64];
__global__ void perhaps_by_value() {
    __shared__ int s[64];
    s[contents[threadIdx.x]] = 1;
}
