// Wrong: a kernel writes behind its array, and the host transfers more than buffers have.
#include "setup.h"

static const char *source =
    "__kernel void shift(__global int *a) {\n"
    "    size_t i = get_global_id(0);\n"
    "    a[i + 1] = (int)i;\n"
    "}\n";

int main(void) {
    setup(0);
    build(source, "");
    cl_int error;
    int a[64] = {0};
    cl_mem da = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof a, a, &error);
    cl_kernel shift = kernel_of("shift");
    clSetKernelArg(shift, 0, sizeof da, &da);
    size_t global = 64;
    printf("%d\n", clEnqueueNDRangeKernel(queue, shift, 1, NULL, &global, NULL, 0, NULL, NULL));
    printf("%d\n", clEnqueueReadBuffer(queue, da, CL_TRUE, 4, sizeof a, a, 0, NULL, NULL));
    printf("%d\n", clEnqueueWriteBuffer(queue, da, CL_TRUE, 256, 4, a, 0, NULL, NULL));
    printf("%d\n", clEnqueueCopyBuffer(queue, da, da, 0, 16, 32, 0, NULL, NULL));
    clEnqueueMapBuffer(queue, da, CL_TRUE, CL_MAP_READ, 0, 260, 0, NULL, NULL, &error);
    printf("%d\n", error);
    cl_buffer_region region = {0, 257};
    clCreateSubBuffer(da, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
    printf("%d\n", error);
    size_t origin[3] = {0, 0, 0}, size[3] = {32, 3, 1};
    printf("%d\n", clEnqueueReadBufferRect(queue, da, CL_TRUE, origin, origin, size, 128, 0, 0, 0, a, 0, NULL, NULL));
    clReleaseMemObject(da);
    clReleaseKernel(shift);
    end();
    return 0;
}
