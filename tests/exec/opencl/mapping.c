// Right: maps for writing and for reading, of memory of the device and of the program's own.
// on: pocl
#include "setup.h"

static const char *source =
    "__kernel void square(__global const int *a, __global int *out) {\n"
    "    size_t i = get_global_id(0);\n"
    "    out[i] = a[i] * a[i];\n"
    "}\n";

#define N 256

int main(void) {
    setup(0);
    build(source, "");
    cl_int error;
    cl_mem a = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_ALLOC_HOST_PTR, N * sizeof(int), NULL, &error);
    static int own[N] __attribute__((aligned(4096)));
    cl_mem out = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, sizeof own, own, &error);
    int *at = clEnqueueMapBuffer(queue, a, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, 0, N * sizeof(int), 0, NULL, NULL,
                                 &error);
    check(error, "map");
    for (int i = 0; i < N; ++i) at[i] = i;
    check(clEnqueueUnmapMemObject(queue, a, at, 0, NULL, NULL), "unmap");
    cl_kernel square = kernel_of("square");
    clSetKernelArg(square, 0, sizeof a, &a);
    clSetKernelArg(square, 1, sizeof out, &out);
    size_t global = N;
    check(clEnqueueNDRangeKernel(queue, square, 1, NULL, &global, NULL, 0, NULL, NULL), "launch");
    int *result = clEnqueueMapBuffer(queue, out, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 40, 400, 0, NULL, NULL, &error);
    check(error, "map");
    cl_uint maps;
    clGetMemObjectInfo(out, CL_MEM_MAP_COUNT, sizeof maps, &maps, NULL);
    printf("%d %d %d %u\n", result[0], result[90], result == own + 10, maps);
    result[0] = -1;
    check(clEnqueueUnmapMemObject(queue, out, result, 0, NULL, NULL), "unmap");
    int back[N];
    check(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof back, back, 0, NULL, NULL), "read");
    printf("%d %d\n", back[10], back[11]);
    clReleaseMemObject(a);
    clReleaseMemObject(out);
    clReleaseKernel(square);
    end();
    return 0;
}
