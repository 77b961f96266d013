// A barrier is missing in a reduction, and the grid of the second launch is too large.
#include <cstdio>

__global__ void reduce(const int *in, int *out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 64 + t];
    __syncthreads();
    for (int half = 32; half > 0; half /= 2) {
        if (t < half) s[t] += s[t + half];  // data-race
    }
    if (t == 0) out[blockIdx.x] = s[0];
}

int main() {
    int host[256], sums[4];
    for (int i = 0; i < 256; ++i) host[i] = i;
    int *in, *out;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof sums);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    for (int round = 0; round < 3; ++round) reduce<<<4, 64>>>(in, out);
    reduce<<<5, 64>>>(in, out);  // out of bounds: 5 blocks, 4 elements
    cudaMemcpy(sums, out, sizeof sums, cudaMemcpyDeviceToHost);
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaFree(in);
    cudaFree(out);
}
