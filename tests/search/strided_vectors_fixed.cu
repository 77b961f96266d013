// Vectors of four that the threads of a block fetch in turn: the index of a vector is the one of its first element, divided again.
// lockstep: check --only data-race
constexpr size_t WIDTH = 4;

__global__ void line(const float *in, int n) {
    extern __shared__ float first[];
    for (int i = threadIdx.x * 4; i < n; i += blockDim.x * 4) first[i / 4] = in[i];
}

__global__ void plane(const float *in, int n) {
    extern __shared__ float4 all[];
    int begin = (threadIdx.x + 32 * threadIdx.y) * WIDTH;
    for (int i = begin; i < n; i += blockDim.y * 32 * WIDTH) all[i / WIDTH] = *(const float4 *)(in + i);
}
