// Two streams and events, a callback of the host, and asynchronous copies.
#include <cstdio>

__global__ void scale(float *a, float by) { a[blockIdx.x * blockDim.x + threadIdx.x] *= by; }

static void CUDART_CB done(void *data) { printf("%s\n", (const char *)data); }

int main() {
    float *host, *a;
    cudaMallocHost(&host, 128 * sizeof(float));
    cudaMalloc(&a, 128 * sizeof(float));
    for (int i = 0; i < 128; ++i) host[i] = i;
    cudaStream_t streams[2];
    cudaEvent_t start, ready, end;
    cudaEventCreate(&start);
    cudaEventCreateWithFlags(&ready, cudaEventDisableTiming);
    cudaEventCreate(&end);
    for (auto &s : streams) cudaStreamCreate(&s);
    cudaEventRecord(start, streams[0]);
    cudaMemcpyAsync(a, host, 128 * sizeof(float), cudaMemcpyHostToDevice, streams[0]);
    cudaEventRecord(ready, streams[0]);
    cudaStreamWaitEvent(streams[1], ready, 0);
    scale<<<2, 32, 0, streams[0]>>>(a, 2);
    scale<<<2, 32, 0, streams[1]>>>(a + 64, 3);
    cudaLaunchHostFunc(streams[1], done, (void *)"both halves are scaled");
    for (auto &s : streams) cudaStreamSynchronize(s);
    cudaMemcpyAsync(host, a, 128 * sizeof(float), cudaMemcpyDeviceToHost, streams[0]);
    cudaEventRecord(end, streams[0]);
    cudaEventSynchronize(end);
    float ms = -1;
    cudaEventElapsedTime(&ms, start, end);
    printf("%g %g, %s\n", host[10], host[100], ms > 0 ? "some time" : "no time");
    for (auto &s : streams) cudaStreamDestroy(s);
    for (auto e : {start, ready, end}) cudaEventDestroy(e);
    cudaFreeHost(host);
    cudaFree(a);
}
