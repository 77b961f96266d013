// Kernels of a library: nothing in this file says which sizes, strides and indices they get.
#include "kernels.cuh"

// Indices that are equal would be a race.
__global__ void scatter_kernel(const float *in, const int *where, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[where[i]] = in[i];
}

void scatter(const float *in, const int *where, float *out, int n, int threads) {
    scatter_kernel<<<(n + threads - 1) / threads, threads>>>(in, where, out, n);
}

// A pitch below the width would be a race.
__global__ void rows_kernel(float *image, int width, int pitch) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x < width) image[blockIdx.y * pitch + x] += 1;
}

void rows(float *image, int width, int height, int pitch) {
    rows_kernel<<<dim3((width + 31) / 32, height), 32>>>(image, width, pitch);
}

// A shift below the half would be a race.
__global__ void fold_kernel(float *data, int half, int shift) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < half) data[i] += data[i + shift];
}

void fold(float *data, int half, int shift) { fold_kernel<<<(half + 63) / 64, 64>>>(data, half, shift); }

// More than 128 threads would be beyond the array.
__global__ void sums_kernel(const float *in, float *sums, int n) {
    __shared__ float part[128];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    part[threadIdx.x] = i < n ? in[i] : 0;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}

void block_sums(const float *in, float *sums, int n, int threads) {
    sums_kernel<<<(n + threads - 1) / threads, threads>>>(in, sums, n);
}

// One array for both would be a race.
__global__ void smooth_kernel(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1) out[i] = (in[i - 1] + in[i] + in[i + 1]) / 3;
}

void smooth(const float *in, float *out, int n) { smooth_kernel<<<(n + 63) / 64, 64>>>(in, out, n); }

// A race in every launch with more than one warp.
__global__ void neighbours_kernel(int *data, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n - 1) data[i] = data[i + 1];
}

void neighbours(int *data, int n) { neighbours_kernel<<<(n + 63) / 64, 64>>>(data, n); }

// All threads that write one element write the same value.
__global__ void level_kernel(const int *first, const int *edges, int *level, int now, int vertices) {
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= vertices || level[v] != now) return;
    for (int e = first[v]; e < first[v + 1]; ++e) {
        if (level[edges[e]] < 0) level[edges[e]] = now + 1;
    }
}

void next_level(const int *first, const int *edges, int *level, int now, int vertices) {
    level_kernel<<<(vertices + 31) / 32, 32>>>(first, edges, level, now, vertices);
}

// Keys that are equal are a race, and the program has such keys.
__global__ void first_kernel(const int *key, int *first, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) first[key[i]] = i;
}

void first_of(const int *key, int *first, int n) { first_kernel<<<(n + 31) / 32, 32>>>(key, first, n); }

// Slots that are not below the width would be a race.
__global__ void slots_kernel(float *rows, const int *slot, int width, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) rows[i * width + slot[i]] += 1;
}

void add_slots(float *rows, const int *slot, int width, int n) {
    slots_kernel<<<(n + 127) / 128, 128>>>(rows, slot, width, n);
}
