// Structs passed by value hold pointers; a list in the device's memory was built by the host.
#include <cstdio>

struct Node {
    int value;
    Node *next;
};

struct Job {
    const float *in;
    float *out[2];
    int n;
    Node *list;
};

__global__ void work(Job job) {
    int i = threadIdx.x;
    if (i < job.n) job.out[i & 1][i / 2] = 2 * job.in[i];
    if (i == 0) {
        int sum = 0;
        for (Node *node = job.list; node; node = node->next) sum += node->value;
        job.list->value = sum;
    }
}

int main() {
    float host[32], even[16], odd[16];
    for (int i = 0; i < 32; ++i) host[i] = i;
    float *in, *out;
    Node *nodes;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof host);
    cudaMalloc(&nodes, 3 * sizeof(Node));
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    Node list[3] = {{1, nodes + 2}, {10, nullptr}, {100, nodes + 1}};
    cudaMemcpy(nodes, list, sizeof list, cudaMemcpyHostToDevice);
    work<<<1, 32>>>(Job{in, {out, out + 16}, 32, nodes});
    cudaMemcpy(even, out, sizeof even, cudaMemcpyDeviceToHost);
    cudaMemcpy(odd, out + 16, sizeof odd, cudaMemcpyDeviceToHost);
    cudaMemcpy(list, nodes, sizeof list, cudaMemcpyDeviceToHost);
    printf("%g %g %d\n", even[15], odd[15], list[0].value);
    cudaFree(in);
    cudaFree(out);
    cudaFree(nodes);
}
