// lockstep: run --block 32 --grid 4 --arg 'in=f32[120]:iota' --arg 'out=f32[120]' --arg n=120
#define R 2

__global__ void stencil(const float *in, float *out, int n) {
    __shared__ float s[32 + 2 * R];
    int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x + R;
    auto at = [&](int j) { return j >= 0 && j < n ? in[j] : 0.0f; };
    s[t] = at(i);
    if (threadIdx.x < R) {
        s[t - R] = at(i - R);
        s[t + 32] = at(i + 32);
    }
    __syncthreads();
    float sum = 0.0f;
    for (int d = -R; d <= R; d++)
        sum += s[t + d];
    if (i < n)
        out[i] = sum;
}
