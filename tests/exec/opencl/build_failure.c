// Right: a program that does not compile gives its log, and options that nobody knows are an error.
// on: pocl
#include "setup.h"

static const char *wrong = "__kernel void f(__global int *a) {\n    a[0] = nowhere;\n}\n";
static const char *right = "__kernel void f(__global int *a) {\n    a[0] = VALUE;\n}\n";

int main(void) {
    setup(0);
    cl_int error;
    cl_program own = clCreateProgramWithSource(context, 1, &wrong, NULL, &error);
    printf("%d\n", clBuildProgram(own, 0, NULL, "", NULL, NULL));
    cl_build_status status;
    clGetProgramBuildInfo(own, device, CL_PROGRAM_BUILD_STATUS, sizeof status, &status, NULL);
    size_t length;
    clGetProgramBuildInfo(own, device, CL_PROGRAM_BUILD_LOG, 0, NULL, &length);
    char *log = malloc(length);
    clGetProgramBuildInfo(own, device, CL_PROGRAM_BUILD_LOG, length, log, NULL);
    printf("%d %d\n", status, strstr(log, "'nowhere'") != NULL);
    free(log);
    clReleaseProgram(own);
    own = clCreateProgramWithSource(context, 1, &right, NULL, &error);
    printf("%d\n", clBuildProgram(own, 1, &device, "-fno-such-option", NULL, NULL));
    printf("%d\n", clBuildProgram(own, 1, &device, "", NULL, NULL));
    printf("%d\n", clBuildProgram(own, 1, &device, "-D VALUE=4 -w -cl-std=CL1.2", NULL, NULL));
    clReleaseProgram(own);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return 0;
}
