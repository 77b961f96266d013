// Wrong: each group adds to the same sum without an atomic operation; the work-items of a group race, too, in local memory.
#include "setup.h"

static const char *source =
    "__kernel void total(__global const int *a, __global int *sum) {\n"
    "    __local int part[64];\n"
    "    int l = get_local_id(0);\n"
    "    part[l] = a[get_global_id(0)];\n"
    "    part[0] += part[(l + 33) % 64];  // a barrier is missing\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    if (l == 0) sum[0] = sum[0] + part[0];  // and an atomic\n"
    "}\n";

int main(void) {
    setup(0);
    build(source, "");
    cl_int error;
    int a[256], zero = 0;
    for (int i = 0; i < 256; ++i) a[i] = i;
    cl_mem da = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof a, a, &error);
    cl_mem sum = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof zero, &zero, &error);
    cl_kernel total = kernel_of("total");
    clSetKernelArg(total, 0, sizeof da, &da);
    clSetKernelArg(total, 1, sizeof sum, &sum);
    size_t global = 256, local = 64;
    check(clEnqueueNDRangeKernel(queue, total, 1, NULL, &global, &local, 0, NULL, NULL), "launch");
    check(clFinish(queue), "finish");
    clReleaseMemObject(da);
    clReleaseMemObject(sum);
    clReleaseKernel(total);
    end();
    puts("done");
    return 0;
}
