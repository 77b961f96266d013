// Sums by cluster. Each thread has four bins of its own; a label beyond them is in a neighbour's.
// launch[bug]: --block 64 --grid 2 --arg 'label=i32[1024]:random' --arg 'value=f32[1024]:ones' --arg 'sums=f32[512]' --arg n=8
// launch[normal]: --block 64 --grid 2 --arg 'label=i32[1024]:3' --arg 'value=f32[1024]:ones' --arg 'sums=f32[512]' --arg n=8
// launch[large]: --block 64 --grid 32768 --arg 'label=i32[268435456]:3' --arg 'value=f32[268435456]:ones' --arg 'sums=f32[8388608]' --arg n=128
__global__ void co_cluster(const int *label, const float *value, float *sums, int n) {
    __shared__ float bins[64 * 4 + 4];
    int t = threadIdx.x, first = (blockIdx.x * blockDim.x + t) * n;
    for (int k = 0; k < 4; ++k) bins[4 * t + k] = 0;  //~ data-race
    for (int i = 0; i < n; ++i) bins[4 * t + label[first + i] % 8] += value[first + i];  //~ data-race
    __syncthreads();
    for (int k = 0; k < 4; ++k) sums[(blockIdx.x * blockDim.x + t) * 4 + k] = bins[4 * t + k];
}
