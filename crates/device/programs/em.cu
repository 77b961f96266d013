// A step of expectation and maximisation, written for at most 256 threads in a block.
// launch[bug]: --block 512 --grid 1 --arg 'x=f32[512]:random' --arg 'weight=f32[512]' --arg 'total=f32[1]'
// launch[normal]: --block 256 --grid 2 --arg 'x=f32[512]:random' --arg 'weight=f32[512]' --arg 'total=f32[2]'
// launch[large]: --block 256 --grid 786432 --arg 'x=f32[201326592]:random' --arg 'weight=f32[201326592]' --arg 'total=f32[786432]'
__global__ void em(const float *x, float *weight, float *total) {
    __shared__ float part[256];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    float w = x[i] * x[i] + 0.5f;
    weight[i] = w;
    part[t % 256] = w;  //~ data-race
    __syncthreads();
    for (int stride = 128; stride > 0; stride /= 2) {
        if (t < stride) part[t] += part[t + stride];
        __syncthreads();
    }
    if (t == 0) total[blockIdx.x] = part[0];
}
