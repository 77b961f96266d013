// Work on streams that nothing orders, and a host that does not wait.
#include <cstdio>
#include <cstring>

__global__ void scale(float *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] *= 2;
}

__global__ void count(int *total) { atomicAdd(total, 1); }

const int N = 256, BYTES = N * sizeof(float);

int main() {
    float *a, *b, *host, *managed;
    int *total;
    cudaMalloc(&a, BYTES);
    cudaMalloc(&b, BYTES);
    cudaMalloc(&total, sizeof(int));
    cudaMallocHost(&host, BYTES);
    cudaMallocManaged(&managed, BYTES);
    cudaStream_t s, t, apart;
    cudaStreamCreate(&s);
    cudaStreamCreate(&t);
    cudaStreamCreateWithFlags(&apart, cudaStreamNonBlocking);
    cudaEvent_t event;
    cudaEventCreate(&event);
    memset(host, 0, BYTES);
    cudaMemset(a, 0, BYTES);
    cudaMemset(total, 0, sizeof(int));
    cudaDeviceSynchronize();

    // The copy does not wait for the kernel.
    scale<<<4, 64, 0, s>>>(a, N);
    cudaMemcpyAsync(host, a, BYTES, cudaMemcpyDeviceToHost, t);
    cudaDeviceSynchronize();

    // The event is recorded too early.
    cudaEventRecord(event, s);
    scale<<<4, 64, 0, s>>>(a, N);
    cudaStreamWaitEvent(t, event, 0);
    scale<<<4, 64, 0, t>>>(a, N);
    cudaDeviceSynchronize();

    // The parts overlap: bytes 512 to 516.
    scale<<<2, 64, 0, s>>>(a, 129);
    scale<<<2, 64, 0, t>>>(a + 128, 128);
    cudaDeviceSynchronize();
    scale<<<3, 64, 0, s>>>(a, 129);
    scale<<<2, 64, 0, t>>>(a + 128, 128);
    cudaDeviceSynchronize();

    // The default stream does not wait for such a stream, and cudaMemset does not wait at all.
    cudaMemset(b, 0, BYTES);
    scale<<<4, 64, 0, apart>>>(b, N);
    cudaDeviceSynchronize();

    // One updates, the other writes.
    count<<<1, 32, 0, s>>>(total);
    cudaMemsetAsync(total, 0, sizeof(int), t);
    cudaDeviceSynchronize();

    // The host reads what is still being copied, writes what is still being read, and looks at managed memory too early.
    cudaMemcpyAsync(host, a, BYTES, cudaMemcpyDeviceToHost, s);
    float first = host[0];
    cudaDeviceSynchronize();
    cudaMemcpyAsync(a, host, BYTES, cudaMemcpyHostToDevice, s);
    host[N - 1] = 1;
    cudaDeviceSynchronize();
    memset(managed, 0, BYTES);
    scale<<<4, 64>>>(managed, N);
    first += managed[0];
    cudaDeviceSynchronize();

    // Waiting for one stream says nothing of the other.
    scale<<<4, 64, 0, s>>>(a, N);
    scale<<<4, 64, 0, t>>>(b, N);
    cudaStreamSynchronize(s);
    cudaMemcpyAsync(host, b, BYTES, cudaMemcpyDeviceToHost, s);
    cudaDeviceSynchronize();
    printf("%g %s\n", first, cudaGetErrorString(cudaGetLastError()));

    cudaEventDestroy(event);
    for (cudaStream_t each : {s, t, apart}) cudaStreamDestroy(each);
    cudaFree(a);
    cudaFree(b);
    cudaFree(total);
    cudaFree(managed);
    cudaFreeHost(host);
}
