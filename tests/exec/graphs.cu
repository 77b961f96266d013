// Graphs: captured from two streams, described node by node, launched again and again, and with another argument.
#include <cstdio>

__global__ void add(int *a, int n, int value) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += value;
}

__global__ void sum(const int *a, const int *b, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + b[i];
}

void count(void *counter) { ++*(int *)counter; }

const int N = 100;

int main() {
    int *a, *b, *c, host[N], calls = 0;
    size_t bytes = N * sizeof(int);
    cudaMalloc(&a, bytes);
    cudaMalloc(&b, bytes);
    cudaMalloc(&c, bytes);

    cudaStream_t first, second;
    cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
    cudaEvent_t forked, joined;
    cudaEventCreateWithFlags(&forked, cudaEventDisableTiming);
    cudaEventCreateWithFlags(&joined, cudaEventDisableTiming);
    cudaGraph_t captured;
    cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal);
    cudaMemsetAsync(a, 0, bytes, first);
    cudaEventRecord(forked, first);
    cudaStreamWaitEvent(second, forked, 0);
    cudaMemsetAsync(b, 0, bytes, second);
    add<<<1, 128, 0, second>>>(b, N, 5);
    add<<<1, 128, 0, first>>>(a, N, 2);
    cudaEventRecord(joined, second);
    cudaStreamWaitEvent(first, joined, 0);
    sum<<<1, 128, 0, first>>>(a, b, c, N);
    cudaMemcpyAsync(host, c, bytes, cudaMemcpyDeviceToHost, first);
    cudaLaunchHostFunc(first, count, &calls);
    cudaStreamCaptureStatus status;
    cudaStreamIsCapturing(second, &status);
    printf("captured: %d\n", status == cudaStreamCaptureStatusActive);
    cudaStreamEndCapture(first, &captured);
    size_t nodes = 0;
    cudaGraphGetNodes(captured, nullptr, &nodes);
    printf("%zu nodes, %d calls\n", nodes, calls);
    cudaGraphExec_t launched;
    cudaGraphInstantiate(&launched, captured, 0);
    for (int i = 0; i < 3; ++i) cudaGraphLaunch(launched, first);
    cudaStreamSynchronize(first);
    printf("%d %d, %d calls\n", host[0], host[N - 1], calls);
    cudaGraphExecDestroy(launched);
    cudaGraphDestroy(captured);

    // The second kernel is added before what it waits for.
    cudaGraph_t described;
    cudaGraphCreate(&described, 0);
    int n = N, value = 10;
    void *arguments[] = {&a, &n, &value};
    cudaKernelNodeParams kernel = {};
    kernel.func = (void *)add;
    kernel.gridDim = dim3(1);
    kernel.blockDim = dim3(128);
    kernel.kernelParams = arguments;
    cudaGraphNode_t adds, sets, copies;
    cudaGraphAddKernelNode(&adds, described, nullptr, 0, &kernel);
    cudaMemsetParams fill = {};
    fill.dst = a;
    fill.value = 7;
    fill.elementSize = 4;
    fill.width = N;
    fill.height = 1;
    cudaGraphAddMemsetNode(&sets, described, nullptr, 0, &fill);
    cudaGraphAddDependencies(described, &sets, &adds, 1);
    cudaGraphAddMemcpyNode1D(&copies, described, &adds, 1, host, a, bytes, cudaMemcpyDeviceToHost);
    value = -1;
    cudaGraphInstantiate(&launched, described, nullptr, nullptr, 0);
    cudaGraphLaunch(launched, first);
    cudaStreamSynchronize(first);
    printf("%d %d\n", host[0], host[N - 1]);
    cudaGraphExecKernelNodeSetParams(launched, adds, &kernel);
    cudaGraphLaunch(launched, first);
    cudaStreamSynchronize(first);
    printf("%d %d\n", host[0], host[N - 1]);

    cudaGraphExecDestroy(launched);
    cudaGraphDestroy(described);
    cudaEventDestroy(forked);
    cudaEventDestroy(joined);
    cudaStreamDestroy(first);
    cudaStreamDestroy(second);
    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
}
