// The threads advance by half of what they fetch together.
// lockstep: check --only data-race
__global__ void line(const float *in, int n) {
    extern __shared__ float first[];
    for (int i = threadIdx.x * 4; i < n; i += blockDim.x * 2) first[i / 4] = in[i] + threadIdx.x; //~ data-race
}
