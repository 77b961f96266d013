// A callback behind an asynchronous copy tells another thread that the copy is over; nobody calls the runtime to wait. What
// no callback has run behind, the host still has to wait for.
#include <atomic>
#include <cstdio>
#include <thread>

const int N = 4096;
std::atomic<int> over{0};
void done(void *) { over.store(1); }

__global__ void fill(int *a) { a[blockIdx.x * 256 + threadIdx.x] = threadIdx.x; }

int main() {
    int *a, *host, *late, sum = 0;
    cudaMalloc(&a, N * sizeof(int));
    cudaMallocHost(&host, N * sizeof(int));
    cudaMallocHost(&late, N * sizeof(int));
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    fill<<<N / 256, 256, 0, stream>>>(a);
    cudaMemcpyAsync(host, a, N * sizeof(int), cudaMemcpyDeviceToHost, stream);
    cudaLaunchHostFunc(stream, done, nullptr);
    std::thread reader([&] {
        while (!over.load()) {}
        for (int i = 0; i < N; ++i) sum += host[i];
    });
    reader.join();
    printf("%d\n", sum);
    cudaMemcpyAsync(late, a, N * sizeof(int), cudaMemcpyDeviceToHost, stream);
    printf("%d\n", late[5]);
    cudaStreamSynchronize(stream);
    cudaStreamDestroy(stream);
    cudaFreeHost(host);
    cudaFreeHost(late);
    cudaFree(a);
}
