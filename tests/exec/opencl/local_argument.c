// Right: local memory that the host sizes, two dimensions, a global offset, groups that the device chooses, a struct and a
// vector of three as arguments.
// on: pocl
#include "setup.h"

static const char *source =
    "typedef struct { int scale; char sign; double shift; } Options;\n"
    "__kernel void sums(__global const int *a, __global int *out, __local int *part) {\n"
    "    size_t l = get_local_id(0);\n"
    "    part[l] = a[get_global_id(0)];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    for (size_t n = get_local_size(0) / 2; n > 0; n /= 2) {\n"
    "        if (l < n) part[l] += part[l + n];\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    }\n"
    "    if (l == 0) out[get_group_id(0)] = part[0];\n"
    "}\n"
    "__kernel void where(__global int *out, Options o, float3 v) {\n"
    "    size_t x = get_global_id(0), y = get_global_id(1);\n"
    "    size_t i = (y - get_global_offset(1)) * get_global_size(0) + x - get_global_offset(0);\n"
    "    out[i] = (int)(100 * y + x) * o.scale + (o.sign == '-' ? -1 : 1) + (int)o.shift + (int)v.z + (int)get_work_dim();\n"
    "}\n";

int main(void) {
    setup(0);
    build(source, "-cl-mad-enable -DUNUSED=1");
    cl_int error;
    int a[256], sums[4], out[12];
    for (int i = 0; i < 256; ++i) a[i] = i;
    cl_mem da = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof a, a, &error);
    cl_mem dsums = clCreateBuffer(context, 0, sizeof sums, NULL, &error);
    cl_mem dout = clCreateBuffer(context, 0, sizeof out, NULL, &error);
    cl_kernel sum = kernel_of("sums"), where = kernel_of("where");
    clSetKernelArg(sum, 0, sizeof da, &da);
    clSetKernelArg(sum, 1, sizeof dsums, &dsums);
    check(clSetKernelArg(sum, 2, 64 * sizeof(int), NULL), "local argument");
    size_t global = 256, local = 64;
    check(clEnqueueNDRangeKernel(queue, sum, 1, NULL, &global, &local, 0, NULL, NULL), "launch");
    check(clEnqueueReadBuffer(queue, dsums, CL_TRUE, 0, sizeof sums, sums, 0, NULL, NULL), "read");
    printf("%d %d %d %d\n", sums[0], sums[1], sums[2], sums[3]);
    struct { cl_int scale; cl_char sign; cl_double shift; } options = {2, '-', 1000};
    cl_float3 v = {{1, 2, 3}};
    clSetKernelArg(where, 0, sizeof dout, &dout);
    check(clSetKernelArg(where, 1, sizeof options, &options), "struct");
    check(clSetKernelArg(where, 2, sizeof v, &v), "vector");
    size_t offset[2] = {5, 7}, size[2] = {4, 3};
    check(clEnqueueNDRangeKernel(queue, where, 2, offset, size, NULL, 0, NULL, NULL), "launch");
    check(clEnqueueReadBuffer(queue, dout, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL), "read");
    printf("%d %d %d\n", out[0], out[1], out[11]);
    clReleaseMemObject(da);
    clReleaseMemObject(dsums);
    clReleaseMemObject(dout);
    clReleaseKernel(sum);
    clReleaseKernel(where);
    end();
    return 0;
}
