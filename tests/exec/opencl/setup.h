// What all of these programs need: the first platform, its device, a context, a queue, and a program.
#pragma once
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static cl_platform_id platform;
static cl_device_id device;
static cl_context context;
static cl_command_queue queue;
static cl_program program;

static void check(cl_int error, const char *what) {
    if (error != CL_SUCCESS) {
        printf("%s: error %d\n", what, error);
        exit(2);
    }
}

static void setup(cl_command_queue_properties properties) {
    cl_int error;
    check(clGetPlatformIDs(1, &platform, NULL), "platform");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "device");
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    check(error, "context");
    queue = clCreateCommandQueue(context, device, properties, &error);
    check(error, "queue");
}

static void build(const char *source, const char *options) {
    cl_int error;
    program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
    check(error, "program");
    error = clBuildProgram(program, 1, &device, options, NULL, NULL);
    if (error != CL_SUCCESS) {
        char log[4096];
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        printf("%s\n", log);
    }
    check(error, "build");
}

static cl_kernel kernel_of(const char *name) {
    cl_int error;
    cl_kernel kernel = clCreateKernel(program, name, &error);
    check(error, name);
    return kernel;
}

static void end(void) {
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
}
