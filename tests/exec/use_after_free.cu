// A buffer is freed before the last launch that uses it, and is still in a struct on the device.
struct View {
    int *data;
};

__global__ void bump(View *view) { view->data[threadIdx.x] += 1; }  // use-after-free in the second launch

int main() {
    int *data;
    View *view;
    cudaMalloc(&data, 32 * sizeof(int));
    cudaMemset(data, 0, 32 * sizeof(int));
    cudaMalloc(&view, sizeof(View));
    View host = {data};
    cudaMemcpy(view, &host, sizeof host, cudaMemcpyHostToDevice);
    bump<<<1, 32>>>(view);
    cudaFree(data);
    bump<<<1, 32>>>(view);
    cudaFree(view);
}
