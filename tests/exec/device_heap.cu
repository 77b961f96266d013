// Memory that one kernel takes from the device's heap, and others use and free.
#include <cstdio>

__global__ void take(int **place) {
    *place = (int *)malloc(8 * sizeof(int));
    for (int i = 0; i < 8; ++i) (*place)[i] = i * i;
}
__global__ void use(int **place, int *out) { out[threadIdx.x] = (*place)[threadIdx.x]; }
__global__ void give(int **place) { free(*place); }

int main() {
    int **place, *out, host[8];
    cudaMalloc(&place, sizeof(int *));
    cudaMalloc(&out, sizeof host);
    take<<<1, 1>>>(place);
    use<<<1, 8>>>(place, out);
    give<<<1, 1>>>(place);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%d %s\n", host[7], cudaGetErrorName(cudaGetLastError()));
    cudaFree(place);
    cudaFree(out);
}
