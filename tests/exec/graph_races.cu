// A graph is launched into a stream that nothing waits for, its result is read at once, and it is launched again after its
// release.
#include <cstdio>

__global__ void fill(int *a) { a[threadIdx.x] = threadIdx.x; }

int main() {
    int host[64], *a;
    cudaMalloc(&a, sizeof(host));
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaGraph_t graph;
    cudaGraphExec_t launched;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    fill<<<1, 64, 0, stream>>>(a);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&launched, graph, 0);
    cudaGraphLaunch(launched, stream);
    cudaMemcpy(host, a, sizeof(host), cudaMemcpyDeviceToHost);
    cudaStreamSynchronize(stream);
    cudaGraphExecDestroy(launched);
    cudaGraphDestroy(graph);
    printf("%s\n", cudaGetErrorString(cudaGraphLaunch(launched, stream)));
    cudaStreamDestroy(stream);
    cudaFree(a);
}
