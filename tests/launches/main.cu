// The program that uses kernels.cu; it takes a size.
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "kernels.cuh"

template <typename T> T *on_device(const std::vector<T> &values) {
    T *at;
    cudaMalloc(&at, values.size() * sizeof(T));
    cudaMemcpy(at, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice);
    return at;
}

int main(int count, char **arguments) {
    std::vector<int> sizes = {96, 200, 1000};
    if (count > 1) sizes = {atoi(arguments[1])};
    for (int n : sizes) {
        std::vector<int> where(n);
        for (int i = 0; i < n; ++i) where[i] = (i * 7 + 3) % n;
        float *in = on_device(std::vector<float>(n, 1)), *out = on_device(std::vector<float>(n, 0));
        int *indices = on_device(where);
        scatter(in, indices, out, n, 64);
        smooth(in, out, n);
        float *sums = on_device(std::vector<float>((n + 63) / 64, 0));
        block_sums(in, sums, n, 64);
        neighbours(indices, n);
        for (void *p : {(void *)in, (void *)out, (void *)indices, (void *)sums}) cudaFree(p);
    }
    for (int width : {100, 33}) {
        float *image;
        size_t pitch;
        cudaMallocPitch(&image, &pitch, width * sizeof(float), 8);
        cudaMemset2D(image, pitch, 0, width * sizeof(float), 8);
        rows(image, width, 8, pitch / sizeof(float));
        cudaFree(image);
    }
    float *data = on_device(std::vector<float>(512, 1));
    for (int half = 256; half >= 64; half /= 2) fold(data, half, half);
    // A ring of 64 vertices, each with its two neighbours.
    std::vector<int> first(65), edges, level(64, -1);
    for (int v = 0; v < 64; ++v) {
        edges.push_back((v + 1) % 64);
        edges.push_back((v + 63) % 64);
        first[v + 1] = edges.size();
    }
    level[0] = 0;
    int *starts = on_device(first), *ends = on_device(edges), *levels = on_device(level);
    for (int now = 0; now < 3; ++now) next_level(starts, ends, levels, now, 64);
    std::vector<int> slots(600);
    for (int i = 0; i < 600; ++i) slots[i] = i * 7 % 5;
    int *slot = on_device(slots);
    float *table = on_device(std::vector<float>(600 * 5, 0));
    add_slots(table, slot, 5, 600);
    cudaFree(slot);
    cudaFree(table);
    int *keys = on_device(std::vector<int>{3, 1, 3, 0}), *of_key = on_device(std::vector<int>(4, 9));
    first_of(keys, of_key, 4);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    for (void *p : {(void *)data, (void *)starts, (void *)ends, (void *)levels, (void *)keys, (void *)of_key}) cudaFree(p);
}
