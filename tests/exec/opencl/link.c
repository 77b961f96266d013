// Right: programs that are compiled with a header of the program, linked, kept as a binary, and built from it.
// on: pocl
#include "setup.h"

static const char *header = "#define SCALE 3\nint scaled(int x);\n";
static const char *library = "#include \"scale.h\"\nint scaled(int x) { return SCALE * x; }\n";
static const char *source =
    "#include \"scale.h\"\n"
    "__kernel void scale(__global const int *restrict a, __global int *out, uint n) {\n"
    "    size_t i = get_global_id(0);\n"
    "    if (i < n) out[i] = scaled(a[i]);\n"
    "}\n";

static cl_program compiled(const char *text, cl_program included) {
    cl_int error;
    const char *name = "scale.h";
    cl_program own = clCreateProgramWithSource(context, 1, &text, NULL, &error);
    check(clCompileProgram(own, 1, &device, "", 1, &included, &name, NULL, NULL), "compile");
    return own;
}

static void run(void) {
    cl_int error;
    cl_kernel scale = kernel_of("scale");
    int a[16], out[16];
    for (int i = 0; i < 16; ++i) a[i] = i;
    cl_mem da = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof a, a, &error);
    cl_mem dout = clCreateBuffer(context, 0, sizeof out, NULL, &error);
    cl_uint n = 16;
    clSetKernelArg(scale, 0, sizeof da, &da);
    clSetKernelArg(scale, 1, sizeof dout, &dout);
    clSetKernelArg(scale, 2, sizeof n, &n);
    size_t global = 16;
    check(clEnqueueNDRangeKernel(queue, scale, 1, NULL, &global, NULL, 0, NULL, NULL), "launch");
    check(clEnqueueReadBuffer(queue, dout, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL), "read");
    printf("%d %d\n", out[1], out[15]);
    clReleaseMemObject(da);
    clReleaseMemObject(dout);
    clReleaseKernel(scale);
}

int main(void) {
    setup(0);
    cl_int error;
    cl_program included = clCreateProgramWithSource(context, 1, &header, NULL, &error);
    cl_program parts[2] = {compiled(library, included), compiled(source, included)};
    program = clLinkProgram(context, 1, &device, "", 2, parts, NULL, NULL, &error);
    check(error, "link");
    run();
    size_t size, kernels;
    clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL);
    unsigned char *binary = malloc(size);
    clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL);
    clReleaseProgram(program);
    cl_int status;
    program = clCreateProgramWithBinary(context, 1, &device, &size, (const unsigned char **)&binary, &status, &error);
    check(error, "binary");
    check(clBuildProgram(program, 1, &device, "", NULL, NULL), "build of a binary");
    free(binary);
    run();
    clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS, sizeof kernels, &kernels, NULL);
    printf("%zu\n", kernels);
    clReleaseProgram(parts[0]);
    clReleaseProgram(parts[1]);
    clReleaseProgram(included);
    end();
    return 0;
}
