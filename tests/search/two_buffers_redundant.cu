// lockstep: search
// With two buffers, the second barrier of a round does what the first of the next round does. Only one of the two is
// reported: without both there is a race. two_buffers_fixed.cu is without the second.
__global__ void diffuse(const float *in, float *out, int rounds) {
    __shared__ float s[2][1024];
    int t = threadIdx.x, size = blockDim.x, i = blockIdx.x * size + t;
    float v = in[i];
    for (int k = 0; k < rounds; k++) {
        s[k % 2][t] = v;
        __syncthreads();
        v = (s[k % 2][(t + size - 1) % size] + s[k % 2][(t + 1) % size]) / 2;
        __syncthreads(); //~ redundant-barrier warning
    }
    out[i] = v;
}
