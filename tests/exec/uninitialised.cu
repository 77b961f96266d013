// One array is never filled; one is filled by a kernel, half of it; one is copied with its padding.
#include <cstdio>

struct Padded {
    char tag;
    double value;
};

__global__ void half(int *a) { a[threadIdx.x] = 1; }

__global__ void sum(const int *a, const int *b, int *out) {
    out[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x];  // uninitialised-read of both
}

__global__ void move(const Padded *from, Padded *to) { to[threadIdx.x] = from[threadIdx.x]; }

__global__ void make(Padded *to) {
    to[threadIdx.x].tag = 1;
    to[threadIdx.x].value = 2;
}

int main() {
    int *a, *b, *out, *never;
    Padded *p, *q;
    cudaMalloc(&a, 64 * sizeof(int));
    cudaMalloc(&b, 64 * sizeof(int));
    cudaMalloc(&out, 64 * sizeof(int));
    cudaMalloc(&never, 64 * sizeof(int));
    cudaMalloc(&p, 8 * sizeof(Padded));
    cudaMalloc(&q, 8 * sizeof(Padded));
    half<<<1, 32>>>(a);
    sum<<<1, 64>>>(a, b, out);
    make<<<1, 8>>>(p);
    move<<<1, 8>>>(p, q);
    Padded host[8];
    cudaMemcpy(host, q, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host[7].value);
    int result[64];
    cudaMemcpy(result, never, sizeof result, cudaMemcpyDeviceToHost);  // nothing has written it
    for (void *m : {(void *)a, (void *)b, (void *)out, (void *)never, (void *)p, (void *)q}) cudaFree(m);
}
