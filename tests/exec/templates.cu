// Templates, lambdas' captures, kernels by their address, dynamic shared memory beyond the usual.
#include <cstdio>

template <class T, class F> __global__ void map(const T *in, T *out, int n, F f) {
    extern __shared__ char bytes[];
    T *s = (T *)bytes;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) s[threadIdx.x] = in[i];
    __syncthreads();
    if (i < n) out[i] = f(s[threadIdx.x]);
}

struct Scale {
    double by;
    __device__ double operator()(double x) const { return by * x; }
};

int main() {
    const int n = 100;
    double host[n], *in, *out;
    for (int i = 0; i < n; ++i) host[i] = i;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    auto kernel = map<double, Scale>;
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 64 << 10);
    kernel<<<4, 32, 60 << 10>>>(in, out, n, Scale{2.5});
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    cudaFuncAttributes about;
    cudaFuncGetAttributes(&about, kernel);
    printf("%g %d %s\n", host[99], about.maxThreadsPerBlock, cudaGetErrorName(cudaGetLastError()));
    cudaFree(in);
    cudaFree(out);
}
