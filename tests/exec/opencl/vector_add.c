// Right: reads its kernel from a file, and sums two arrays.
// on: pocl
#include "setup.h"

#define N 1000

int main(void) {
    setup(0);
    static char source[10000];
    FILE *file = fopen("vector_add.cl", "r");
    size_t length = fread(source, 1, sizeof source - 1, file);
    fclose(file);
    source[length] = 0;
    build(source, "");
    cl_int error;
    static float a[N], b[N], out[N];
    for (int i = 0; i < N; ++i) a[i] = i, b[i] = 2 * i;
    cl_mem da = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof a, a, &error);
    cl_mem db = clCreateBuffer(context, CL_MEM_READ_ONLY, sizeof b, NULL, &error);
    cl_mem dout = clCreateBuffer(context, CL_MEM_WRITE_ONLY, sizeof out, NULL, &error);
    check(clEnqueueWriteBuffer(queue, db, CL_FALSE, 0, sizeof b, b, 0, NULL, NULL), "write");
    cl_kernel add = kernel_of("add");
    int n = N;
    clSetKernelArg(add, 0, sizeof da, &da);
    clSetKernelArg(add, 1, sizeof db, &db);
    clSetKernelArg(add, 2, sizeof dout, &dout);
    clSetKernelArg(add, 3, sizeof n, &n);
    size_t global = 1024, local = 64;
    check(clEnqueueNDRangeKernel(queue, add, 1, NULL, &global, &local, 0, NULL, NULL), "launch");
    check(clEnqueueReadBuffer(queue, dout, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL), "read");
    printf("%g %g %g\n", out[0], out[1], out[N - 1]);
    clReleaseMemObject(da);
    clReleaseMemObject(db);
    clReleaseMemObject(dout);
    clReleaseKernel(add);
    end();
    return 0;
}
