// Right: parts of a buffer, fills, copies within a buffer, rectangles.
// on: pocl
#include "setup.h"

static const char *source =
    "__kernel void twice(__global int *a) { a[get_global_id(0)] *= 2; }\n";

int main(void) {
    setup(0);
    build(source, NULL);
    cl_int error;
    cl_mem whole = clCreateBuffer(context, CL_MEM_READ_WRITE, 4096, NULL, &error);
    int one = 1, seven[2] = {7, 8};
    check(clEnqueueFillBuffer(queue, whole, &one, sizeof one, 0, 4096, 0, NULL, NULL), "fill");
    check(clEnqueueFillBuffer(queue, whole, seven, sizeof seven, 2048, 1024, 0, NULL, NULL), "fill");
    cl_buffer_region region = {1024, 1024};
    cl_mem part = clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
    check(error, "sub-buffer");
    cl_kernel twice = kernel_of("twice");
    clSetKernelArg(twice, 0, sizeof part, &part);
    size_t global = 256;
    check(clEnqueueNDRangeKernel(queue, twice, 1, NULL, &global, NULL, 0, NULL, NULL), "launch");
    check(clEnqueueCopyBuffer(queue, part, whole, 0, 3072, 512, 0, NULL, NULL), "copy");
    int out[1024];
    check(clEnqueueReadBuffer(queue, whole, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL), "read");
    printf("%d %d %d %d %d %d\n", out[255], out[256], out[511], out[512], out[513], out[768]);
    // A block of 4 x 3 numbers of a matrix with rows of 32, to a matrix of the host with rows of 4.
    size_t from[3] = {8 * sizeof(int), 16, 0}, to[3] = {0, 0, 0}, size[3] = {4 * sizeof(int), 3, 1};
    int block[12];
    check(clEnqueueReadBufferRect(queue, whole, CL_TRUE, from, to, size, 128, 0, 16, 0, block, 0, NULL, NULL),
          "read rectangle");
    printf("%d %d %d\n", block[0], block[1], block[11]);
    cl_mem target = clCreateBuffer(context, CL_MEM_READ_WRITE, 48, NULL, &error);
    check(clEnqueueCopyBufferRect(queue, whole, target, from, to, size, 128, 0, 16, 0, 0, NULL, NULL), "copy rectangle");
    check(clEnqueueReadBuffer(queue, target, CL_TRUE, 0, 48, block, 0, NULL, NULL), "read");
    printf("%d %d %d\n", block[0], block[1], block[11]);
    size_t bytes, offset;
    cl_mem parent;
    clGetMemObjectInfo(part, CL_MEM_SIZE, sizeof bytes, &bytes, NULL);
    clGetMemObjectInfo(part, CL_MEM_OFFSET, sizeof offset, &offset, NULL);
    clGetMemObjectInfo(part, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof parent, &parent, NULL);
    printf("%zu %zu %d\n", bytes, offset, parent == whole);
    // A part keeps its buffer alive.
    clReleaseMemObject(whole);
    check(clEnqueueReadBuffer(queue, part, CL_TRUE, 0, 4, out, 0, NULL, NULL), "read part");
    printf("%d\n", out[0]);
    clReleaseMemObject(part);
    clReleaseMemObject(target);
    clReleaseKernel(twice);
    end();
    return 0;
}
