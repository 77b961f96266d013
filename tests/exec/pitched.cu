// Rows with a pitch, and slices of rows; the last kernel takes the width for the pitch.
#include <cstdio>

__global__ void fill(float *a, size_t pitch, int width, int height) {
    int x = threadIdx.x, y = blockIdx.x;
    if (x < width && y < height) ((float *)((char *)a + y * pitch))[x] = y * 10 + x;
}

__global__ void total(const float *a, int width, int height, float *sum) {
    float s = 0;
    for (int i = 0; i < width * height; ++i) s += a[i];  // uninitialised-read: what lies between rows
    *sum = s;
}

int main() {
    const int width = 5, height = 4;
    float *a, *sum;
    size_t pitch;
    cudaMallocPitch(&a, &pitch, width * sizeof(float), height);
    cudaMalloc(&sum, sizeof(float));
    fill<<<height, 8>>>(a, pitch, width, height);
    float rows[height][width];
    cudaMemcpy2D(rows, width * sizeof(float), a, pitch, width * sizeof(float), height, cudaMemcpyDeviceToHost);
    printf("%g %g\n", rows[1][2], rows[3][4]);
    total<<<1, 1>>>(a, width, height, sum);
    cudaPitchedPtr cube;
    cudaMalloc3D(&cube, make_cudaExtent(3, 2, 2));
    cudaMemset3D(cube, 9, make_cudaExtent(3, 2, 2));
    unsigned char bytes[12];
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = cube;
    copy.dstPtr = make_cudaPitchedPtr(bytes, 3, 3, 2);
    copy.extent = make_cudaExtent(3, 2, 2);
    copy.kind = cudaMemcpyDeviceToHost;
    cudaMemcpy3D(&copy);
    printf("%d %d\n", bytes[0], bytes[11]);
    cudaFree(cube.ptr);
    cudaFree(a);
    cudaFree(sum);
}
