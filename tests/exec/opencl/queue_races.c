// Wrong: commands of several queues, or of one that is out of order, that nothing orders.
#include "setup.h"

static const char *source =
    "__kernel void twice(__global int *a) { a[get_global_id(0)] *= 2; }\n"
    "__kernel void sum(__global const int *a, __global int *b) { b[get_global_id(0)] += a[get_global_id(0)]; }\n";

int main(void) {
    setup(0);
    build(source, "");
    cl_int error;
    enum { N = 64 };
    int a[N], zero = 0;
    for (int i = 0; i < N; ++i) a[i] = i;
    cl_command_queue other = clCreateCommandQueue(context, device, 0, &error);
    cl_command_queue open =
        clCreateCommandQueue(context, device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &error);
    cl_mem da = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof a, a, &error);
    cl_mem db = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof a, NULL, &error);
    cl_kernel twice = kernel_of("twice"), sum = kernel_of("sum");
    clSetKernelArg(twice, 0, sizeof da, &da);
    clSetKernelArg(sum, 0, sizeof da, &da);
    clSetKernelArg(sum, 1, sizeof db, &db);
    size_t global = N;

    // Another queue does not wait for the first.
    check(clEnqueueNDRangeKernel(queue, twice, 1, NULL, &global, NULL, 0, NULL, NULL), "twice");
    check(clEnqueueReadBuffer(other, da, CL_TRUE, 0, sizeof a, a, 0, NULL, NULL), "read");
    clFinish(queue);

    // A queue that is out of order orders nothing by itself.
    check(clEnqueueFillBuffer(open, db, &zero, sizeof zero, 0, sizeof a, 0, NULL, NULL), "fill");
    check(clEnqueueNDRangeKernel(open, sum, 1, NULL, &global, NULL, 0, NULL, NULL), "sum");
    clFinish(open);

    // The event is that of another command.
    cl_event early;
    check(clEnqueueFillBuffer(open, db, &zero, sizeof zero, 0, sizeof a, 0, NULL, &early), "fill");
    check(clEnqueueNDRangeKernel(open, twice, 1, NULL, &global, NULL, 1, &early, NULL), "twice");
    check(clEnqueueNDRangeKernel(open, sum, 1, NULL, &global, NULL, 1, &early, NULL), "sum");
    clFinish(open);

    // Two reads into the same memory of the host.
    check(clEnqueueReadBuffer(queue, da, CL_FALSE, 0, sizeof a, a, 0, NULL, NULL), "read");
    check(clEnqueueReadBuffer(other, db, CL_FALSE, 0, sizeof a, a, 0, NULL, NULL), "read");
    clFinish(queue);
    clFinish(other);
    printf("%d\n", a[1]);
    clReleaseEvent(early);
    clReleaseKernel(twice);
    clReleaseKernel(sum);
    clReleaseMemObject(da);
    clReleaseMemObject(db);
    clReleaseCommandQueue(other);
    clReleaseCommandQueue(open);
    end();
    return 0;
}
