// Right: commands that wait for an event of the program, callbacks, an out-of-order queue, times.
// on: pocl
#include "setup.h"
#include <pthread.h>

static const char *source =
    "__kernel void add(__global int *a, int n) { a[get_global_id(0)] += n; }\n"
    "__kernel void twice(__global int *a) { a[get_global_id(0)] *= 2; }\n";

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t called = PTHREAD_COND_INITIALIZER;
static int calls, freed;

static void CL_CALLBACK on_complete(cl_event event, cl_int status, void *data) {
    cl_int now;
    clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof now, &now, NULL);
    pthread_mutex_lock(&lock);
    calls += *(int *)data + (status == CL_COMPLETE) + (now == CL_COMPLETE);
    pthread_cond_signal(&called);
    pthread_mutex_unlock(&lock);
}

static void CL_CALLBACK on_free(cl_mem memory, void *data) {
    (void)memory;
    pthread_mutex_lock(&lock);
    freed += *(int *)data;
    pthread_cond_signal(&called);
    pthread_mutex_unlock(&lock);
}

static void *release(void *event) {
    clSetUserEventStatus(event, CL_COMPLETE);
    return NULL;
}

int main(void) {
    setup(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE);
    build(source, "");
    cl_int error;
    int a[64] = {1}, n = 3;
    cl_mem da = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof a, a, &error);
    cl_kernel add = kernel_of("add"), twice = kernel_of("twice");
    clSetKernelArg(add, 0, sizeof da, &da);
    clSetKernelArg(add, 1, sizeof n, &n);
    clSetKernelArg(twice, 0, sizeof da, &da);
    size_t global = 64;
    cl_event gate = clCreateUserEvent(context, &error), added, doubled, read;
    check(error, "user event");
    check(clEnqueueNDRangeKernel(queue, add, 1, NULL, &global, NULL, 1, &gate, &added), "add");
    // The argument of a command that waits is that of when it was enqueued.
    n = 1000;
    clSetKernelArg(add, 1, sizeof n, &n);
    check(clEnqueueNDRangeKernel(queue, twice, 1, NULL, &global, NULL, 1, &added, &doubled), "twice");
    int hundred = 100;
    check(clSetEventCallback(doubled, CL_COMPLETE, on_complete, &hundred), "callback");
    check(clEnqueueReadBuffer(queue, da, CL_FALSE, 0, sizeof a, a, 1, &doubled, &read), "read");
    cl_int status;
    clGetEventInfo(added, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
    printf("waits %d, has %d\n", status > CL_RUNNING, a[0]);
    pthread_t thread;
    pthread_create(&thread, NULL, release, gate);
    check(clWaitForEvents(1, &read), "wait");
    pthread_join(thread, NULL);
    printf("has %d %d\n", a[0], a[63]);
    pthread_mutex_lock(&lock);
    while (calls == 0) pthread_cond_wait(&called, &lock);
    pthread_mutex_unlock(&lock);
    printf("called %d\n", calls);
    cl_ulong start, stop;
    check(clGetEventProfilingInfo(added, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL), "start");
    check(clGetEventProfilingInfo(doubled, CL_PROFILING_COMMAND_END, sizeof stop, &stop, NULL), "end");
    printf("in order %d\n", start < stop);
    // An event that fails takes those that wait for it with it.
    cl_event failing = clCreateUserEvent(context, &error), failed;
    check(clEnqueueNDRangeKernel(queue, twice, 1, NULL, &global, NULL, 1, &failing, &failed), "twice");
    clSetUserEventStatus(failing, -5);
    printf("wait %d\n", clWaitForEvents(1, &failed));
    clGetEventInfo(failed, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
    printf("failed %d\n", status < 0);
    check(clSetMemObjectDestructorCallback(da, on_free, &hundred), "destructor");
    cl_event all[] = {gate, added, doubled, read, failing, failed};
    for (int i = 0; i < 6; ++i) clReleaseEvent(all[i]);
    clReleaseKernel(add);
    clReleaseKernel(twice);
    clReleaseMemObject(da);
    pthread_mutex_lock(&lock);
    while (freed == 0) pthread_cond_wait(&called, &lock);
    pthread_mutex_unlock(&lock);
    printf("freed %d\n", freed);
    end();
    return 0;
}
