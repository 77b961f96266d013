// Wrong: objects that are released twice, used after their release, or not released at all; arguments and sizes that do not fit.
#include "setup.h"

static const char *source = "__kernel void f(__global int *a, int n, __local int *t) { a[get_global_id(0)] = n; }\n";

int main(void) {
    setup(0);
    build(source, "");
    cl_int error;
    int n = 1;
    cl_mem a = clCreateBuffer(context, 0, 256, NULL, &error);
    cl_mem b = clCreateBuffer(context, 0, 256, NULL, &error);
    cl_mem left = clCreateBuffer(context, 0, 512, NULL, &error);
    (void)left;
    cl_kernel f = kernel_of("f");
    clSetKernelArg(f, 0, sizeof a, &a);
    size_t global = 64, local = 48;
    printf("%d\n", clEnqueueNDRangeKernel(queue, f, 1, NULL, &global, NULL, 0, NULL, NULL));
    printf("%d\n", clSetKernelArg(f, 1, sizeof(long), &n));
    clSetKernelArg(f, 1, sizeof n, &n);
    printf("%d\n", clSetKernelArg(f, 2, 16, &n));
    clSetKernelArg(f, 2, 16, NULL);
    printf("%d\n", clSetKernelArg(f, 3, sizeof n, &n));
    printf("%d\n", clEnqueueNDRangeKernel(queue, f, 1, NULL, &global, &local, 0, NULL, NULL));
    local = 4096, global = 4096;
    printf("%d\n", clEnqueueNDRangeKernel(queue, f, 1, NULL, &global, &local, 0, NULL, NULL));
    global = 64;
    clReleaseMemObject(a);
    // The kernel does not keep its argument alive.
    printf("%d\n", clEnqueueNDRangeKernel(queue, f, 1, NULL, &global, NULL, 0, NULL, NULL));
    printf("%d\n", clEnqueueFillBuffer(queue, a, &n, sizeof n, 0, 256, 0, NULL, NULL));
    printf("%d\n", clReleaseMemObject(a));
    int *at = clEnqueueMapBuffer(queue, b, CL_TRUE, CL_MAP_WRITE, 0, 256, 0, NULL, NULL, &error);
    printf("%d\n", clEnqueueFillBuffer(queue, b, &n, sizeof n, 0, 256, 0, NULL, NULL));
    clEnqueueUnmapMemObject(queue, b, at, 0, NULL, NULL);
    printf("%d\n", clEnqueueUnmapMemObject(queue, b, at, 0, NULL, NULL));
    clCreateKernel(program, "g", &error);
    printf("%d\n", error);
    cl_event event = clCreateUserEvent(context, &error);
    clSetUserEventStatus(event, CL_COMPLETE);
    printf("%d\n", clSetUserEventStatus(event, CL_COMPLETE));
    clReleaseEvent(event);
    printf("%d\n", clReleaseEvent(event));
    clReleaseMemObject(b);
    clReleaseKernel(f);
    clReleaseKernel(f);
    end();
    return 0;
}
