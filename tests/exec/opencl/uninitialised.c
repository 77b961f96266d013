// Wrong: a buffer is filled by half, and read as a whole; another is never written, and read by the host.
#include "setup.h"

static const char *source =
    "__kernel void half_of(__global int *a) { a[get_global_id(0)] = 1; }\n"
    "__kernel void sum(__global const int *a, __global int *out) { out[get_global_id(0)] = a[get_global_id(0)] + 1; }\n";

int main(void) {
    setup(0);
    build(source, "");
    cl_int error;
    int back[64];
    cl_mem a = clCreateBuffer(context, 0, sizeof back, NULL, &error);
    cl_mem b = clCreateBuffer(context, 0, sizeof back, NULL, &error);
    cl_mem out = clCreateBuffer(context, 0, sizeof back, NULL, &error);
    cl_mem never = clCreateBuffer(context, 0, sizeof back, NULL, &error);
    cl_kernel half = kernel_of("half_of"), sum = kernel_of("sum");
    clSetKernelArg(half, 0, sizeof a, &a);
    size_t global = 32;
    check(clEnqueueNDRangeKernel(queue, half, 1, NULL, &global, NULL, 0, NULL, NULL), "half");
    check(clEnqueueCopyBuffer(queue, a, b, 0, 0, sizeof back, 0, NULL, NULL), "copy");
    global = 64;
    clSetKernelArg(sum, 0, sizeof b, &b);
    clSetKernelArg(sum, 1, sizeof out, &out);
    check(clEnqueueNDRangeKernel(queue, sum, 1, NULL, &global, NULL, 0, NULL, NULL), "sum");
    check(clEnqueueReadBuffer(queue, never, CL_TRUE, 0, sizeof back, back, 0, NULL, NULL), "read");
    clReleaseMemObject(a);
    clReleaseMemObject(b);
    clReleaseMemObject(out);
    clReleaseMemObject(never);
    clReleaseKernel(half);
    clReleaseKernel(sum);
    end();
    return 0;
}
