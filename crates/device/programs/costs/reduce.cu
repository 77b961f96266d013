// Sums of blocks, as a tree in shared memory, of the first powers of all values.
// launch[small]: --block 64 --grid 3 --arg 'in=f32[192]:random' --arg 'out=f32[12]' --arg n=192 --arg powers=4
// launch[large]: --block 256 --grid 65536 --arg 'in=f32[16777216]:random' --arg 'out=f32[2097152]' --arg n=16777216 --arg powers=32
__global__ void reduce(const float *in, float *out, int n, int powers) {
    __shared__ float part[256];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    float x = i < n ? in[i] : 0, power = 1;
    for (int p = 0; p < powers; ++p) {
        power *= x;
        part[t] = power;
        __syncthreads();
        for (int stride = blockDim.x / 2; stride > 0; stride /= 2) {
            if (t < stride) part[t] += part[t + stride];
            __syncthreads();
        }
        if (t == 0) out[blockIdx.x * powers + p] = part[0];
        __syncthreads();
    }
}
