// Right: commands of several queues that events, barriers, markers, maps and the host order.
// on: pocl
#include "setup.h"

static const char *source =
    "__kernel void twice(__global int *a) { a[get_global_id(0)] *= 2; }\n"
    "__kernel void sum(__global const int *a, __global int *b) { b[get_global_id(0)] += a[get_global_id(0)]; }\n";

int main(void) {
    setup(0);
    build(source, "");
    cl_int error;
    enum { N = 64 };
    int a[N], b[N], zero = 0;
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

    // One queue works in order, and another waits for an event of it.
    cl_event doubled, filled, both[2];
    check(clEnqueueNDRangeKernel(queue, twice, 1, NULL, &global, NULL, 0, NULL, NULL), "twice");
    check(clEnqueueNDRangeKernel(queue, twice, 1, NULL, &global, NULL, 0, NULL, &doubled), "twice");
    check(clEnqueueReadBuffer(other, da, CL_TRUE, 0, sizeof a, a, 1, &doubled, NULL), "read");
    printf("%d", a[1]);

    // Out of order, with events.
    check(clEnqueueFillBuffer(open, db, &zero, sizeof zero, 0, sizeof a, 0, NULL, &filled), "fill");
    check(clEnqueueNDRangeKernel(open, sum, 1, NULL, &global, NULL, 1, &filled, &both[0]), "sum");
    // With a barrier.
    check(clEnqueueBarrierWithWaitList(open, 0, NULL, NULL), "barrier");
    check(clEnqueueNDRangeKernel(open, sum, 1, NULL, &global, NULL, 0, NULL, NULL), "sum");
    // With a marker, which is over when all before it is.
    check(clEnqueueMarkerWithWaitList(open, 0, NULL, &both[1]), "marker");
    check(clEnqueueReadBuffer(other, db, CL_TRUE, 0, sizeof b, b, 2, both, NULL), "read");
    printf(" %d", b[1]);
    clFinish(open);

    // The host waits for one queue before it asks the other.
    check(clEnqueueNDRangeKernel(queue, twice, 1, NULL, &global, NULL, 0, NULL, NULL), "twice");
    clFinish(queue);
    check(clEnqueueNDRangeKernel(other, sum, 1, NULL, &global, NULL, 0, NULL, NULL), "sum");
    int *mapped = clEnqueueMapBuffer(other, db, CL_TRUE, CL_MAP_READ, 0, sizeof b, 0, NULL, NULL, &error);
    printf(" %d", mapped[1]);
    check(clEnqueueUnmapMemObject(other, db, mapped, 0, NULL, NULL), "unmap");
    clFinish(other);

    // Two readers, and an event of the program.
    cl_event gate = clCreateUserEvent(context, &error);
    check(clEnqueueReadBuffer(open, da, CL_FALSE, 0, sizeof a, a, 1, &gate, NULL), "read");
    check(clEnqueueReadBuffer(open, da, CL_FALSE, 0, sizeof b, b, 0, NULL, NULL), "read");
    clSetUserEventStatus(gate, CL_COMPLETE);
    clFinish(open);
    printf(" %d %d\n", a[1], b[1]);
    cl_event all[] = {doubled, filled, both[0], both[1], gate};
    for (int i = 0; i < 5; ++i) clReleaseEvent(all[i]);
    clReleaseKernel(twice);
    clReleaseKernel(sum);
    clReleaseMemObject(da);
    clReleaseMemObject(db);
    clReleaseCommandQueue(other);
    clReleaseCommandQueue(open);
    end();
    return 0;
}
