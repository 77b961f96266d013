// Right: what kernels say of themselves and of their arguments.
// on: pocl
#include "setup.h"

static const char *source =
    "__kernel void scale(__global const int *restrict a, __global int *out, __local float4 *t, const uint n) {\n"
    "    size_t i = get_global_id(0);\n"
    "    if (i < n) out[i] = a[i];\n"
    "}\n"
    "__kernel __attribute__((reqd_work_group_size(16, 1, 1))) void other(__constant int *c, __global int *out) {\n"
    "    out[get_global_id(0)] = c[0];\n"
    "}\n";

int main(void) {
    setup(0);
    build(source, "-cl-kernel-arg-info");
    cl_kernel all[2];
    cl_uint count;
    check(clCreateKernelsInProgram(program, 2, all, &count), "kernels");
    printf("%u\n", count);
    for (cl_uint k = 0; k < count; ++k) {
        char name[100];
        cl_uint arguments;
        size_t group[3];
        clGetKernelInfo(all[k], CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL);
        clGetKernelInfo(all[k], CL_KERNEL_NUM_ARGS, sizeof arguments, &arguments, NULL);
        clGetKernelWorkGroupInfo(all[k], device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof group, group, NULL);
        printf("%s %u %zu\n", name, arguments, group[0]);
        for (cl_uint i = 0; i < arguments; ++i) {
            char type[100];
            cl_kernel_arg_address_qualifier address;
            cl_kernel_arg_type_qualifier qualifiers;
            clGetKernelArgInfo(all[k], i, CL_KERNEL_ARG_NAME, sizeof name, name, NULL);
            clGetKernelArgInfo(all[k], i, CL_KERNEL_ARG_TYPE_NAME, sizeof type, type, NULL);
            clGetKernelArgInfo(all[k], i, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof address, &address, NULL);
            clGetKernelArgInfo(all[k], i, CL_KERNEL_ARG_TYPE_QUALIFIER, sizeof qualifiers, &qualifiers, NULL);
            printf("  %s %s %x %d\n", type, name, address, (int)qualifiers);
        }
        clReleaseKernel(all[k]);
    }
    end();
    return 0;
}
