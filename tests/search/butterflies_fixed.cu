// lockstep: search
__global__ void stage(float *x, int n, int half) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n / 2) return;
    int at = t / half * 2 * half + t % half;
    float a = x[at], b = x[at + half];
    x[at] = a + b;
    x[at + half] = a - b;
}
