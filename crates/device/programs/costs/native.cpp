// A program of CUDA around one kernel, for nvcc: what the kernel costs without Lockstep, and below other tools.
//
//   nvcc -O3 -arch=sm_90 -DSOURCE='"reduce.cu"' -DKERNEL=reduce -x cu native.cpp -o reduce
//   ./reduce REPEAT --block 256 --grid 65536 --arg 'in=f32[16777216]:random' …
//
// The words are those of `lockstep-device run`; numbers are integers. Prints milliseconds, the median of all launches but the first.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#include SOURCE

static void check(cudaError_t error) {
    if (error == cudaSuccess) return;
    fprintf(stderr, "error: %s\n", cudaGetErrorString(error));
    exit(2);
}

static dim3 dimensions(const char *text) {
    dim3 d;
    sscanf(text, "%u,%u,%u", &d.x, &d.y, &d.z);
    return d;
}

// A number, or an array on the device.
static void *argument(const char *text) {
    const char *value = strchr(text, '=') + 1;
    unsigned bits;
    unsigned long long count;
    char kind, fill[16] = "";
    void **place = (void **)calloc(1, sizeof(void *));
    if (sscanf(value, "%c%u[%llu]:%15s", &kind, &bits, &count, fill) < 3) {
        *(int *)place = atoi(value);
        return place;
    }
    std::vector<unsigned char> bytes(count * bits / 8);
    unsigned state = 1;
    for (size_t i = 0; i * 4 + 3 < bytes.size(); ++i) {
        state = state * 1664525 + 1013904223;
        float real = (state >> 8) / 16777216.0f;
        unsigned word = 0;
        if (!strcmp(fill, "random") && kind == 'f') memcpy(&word, &real, 4);
        else if (!strcmp(fill, "random")) word = state ^ state >> 15;
        else if (!strcmp(fill, "iota")) word = (unsigned)i;
        else if (!strcmp(fill, "ones") && kind == 'f') real = 1, memcpy(&word, &real, 4);
        else word = (unsigned)atoi(fill);
        memcpy(&bytes[i * 4], &word, 4);
    }
    check(cudaMalloc(place, bytes.size()));
    check(cudaMemcpy(*place, bytes.data(), bytes.size(), cudaMemcpyHostToDevice));
    return place;
}

int main(int argc, char **argv) {
    dim3 grid, block;
    std::vector<void *> arguments;
    for (int i = 2; i + 1 < argc; i += 2) {
        if (!strcmp(argv[i], "--block")) block = dimensions(argv[i + 1]);
        else if (!strcmp(argv[i], "--grid")) grid = dimensions(argv[i + 1]);
        else if (!strcmp(argv[i], "--arg")) arguments.push_back(argument(argv[i + 1]));
    }
    cudaEvent_t start, end;
    check(cudaEventCreate(&start));
    check(cudaEventCreate(&end));
    std::vector<float> times;
    for (int i = 0, repeat = argc > 1 ? atoi(argv[1]) : 1; i < repeat; ++i) {
        float ms;
        check(cudaEventRecord(start));
        check(cudaLaunchKernel((const void *)KERNEL, grid, block, arguments.data(), 0, 0));
        check(cudaEventRecord(end));
        check(cudaEventSynchronize(end));
        check(cudaEventElapsedTime(&ms, start, end));
        times.push_back(ms);
    }
    if (times.size() > 1) times.erase(times.begin());
    std::sort(times.begin(), times.end());
    printf("%.4f ms\n", times[times.size() / 2]);
}
