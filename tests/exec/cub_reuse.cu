// Two reductions of a block through one storage, with no barrier between them: the second writes what thread 0 still
// reads for the first.
#include <cub/cub.cuh>
#include <cstdio>

__global__ void mean_and_most(const float *in, float *out) {
    using Reduce = cub::BlockReduce<float, 128>;
    __shared__ typename Reduce::TempStorage storage;
    float own = in[threadIdx.x];
    float sum = Reduce(storage).Sum(own);
    float most = Reduce(storage).Reduce(own, cub::Max());
    if (threadIdx.x == 0) {
        out[0] = sum / 128;
        out[1] = most;
    }
}

int main() {
    float in[128], out[2], *a, *b;
    for (int i = 0; i < 128; ++i) in[i] = i;
    cudaMalloc(&a, sizeof(in));
    cudaMalloc(&b, sizeof(out));
    cudaMemcpy(a, in, sizeof(in), cudaMemcpyHostToDevice);
    mean_and_most<<<1, 128>>>(a, b);
    cudaMemcpy(out, b, sizeof(out), cudaMemcpyDeviceToHost);
    cudaFree(a);
    cudaFree(b);
    return 0;
}
