// A driver for the tests: it keeps memory, counts what it is asked for, and fails as FAKE_CUDA says. It runs no kernel.
#include <stdlib.h>
#include <string.h>
typedef unsigned long long address;
static int is(const char *what) {
    const char *told = getenv("FAKE_CUDA");
    return told && !strcmp(told, what);
}
static int launched;
static char variables[64][16];
static unsigned *report;
int cuInit(unsigned f) { return is("no device") ? 100 : 0; }
int cuDriverGetVersion(int *v) { return *v = is("old") ? 11040 : 12040, 0; }
int cuDeviceGet(int *d, int n) { return *d = n, n == 0 ? 0 : 101; }
int cuDeviceGetName(char *to, int n, int d) { return strncpy(to, "a device of the tests", n), 0; }
int cuDeviceGetAttribute(int *to, int which, int d) {
    *to = which == 75 ? (is("old device") ? 6 : 9) : which == 76 ? 0 : which == 97 ? 232448 : 0;
    return 0;
}
int cuCtxCreate_v2(void **c, unsigned f, int d) { return *c = &launched, 0; }
int cuModuleLoadDataEx(void **m, const void *ptx, unsigned n, int *options, void **values) {
    // A cubin is no text: behind its first four bytes our tests say which of both it is.
    if (!memcmp(ptx, "\x7f" "ELF", 4)) {
        if (n || is("other cubin")) return 209;
        return *m = strstr((const char *)ptx + 4, "__lockstep_report") ? (void *)"checked" : (void *)"plain", 0;
    }
    if (is("cubin only")) return 218;
    *m = strstr(ptx, "__lockstep_report") ? (void *)"checked" : (void *)"plain";
    if (is("bad ptx")) return strcpy(values[0], "ptxas application ptx input, line 7; error\n"), 218;
    return is("old ptx") ? 222 : 0;
}
int cuModuleGetFunction(void **f, void *m, const char *name) { return *f = m, 0; }
int cuModuleGetGlobal_v2(address *a, size_t *n, void *m, const char *name) {
    static int count;
    if (strncmp(name, "__lockstep_", 11)) return 500;
    int at = !strcmp(name, "__lockstep_report") ? 0 : 1 + count++ % 60;
    *a = (address)variables[at];
    *n = 8;
    return 0;
}
int cuMemAlloc_v2(address *a, size_t n) {
    if (is("small") && n > 1024) return 2;
    return *a = (address)malloc(n), 0;
}
int cuMemcpyHtoD_v2(address to, const void *from, size_t n) { return memcpy((void *)to, from, n), 0; }
int cuMemcpyDtoH_v2(void *to, address from, size_t n) { return memcpy(to, (void *)from, n), 0; }
int cuMemsetD8_v2(address to, unsigned char v, size_t n) { return memset((void *)to, v, n), 0; }
int cuMemHostAlloc(void **p, size_t n, unsigned f) { return *p = report = malloc(n), 0; }
int cuMemHostGetDevicePointer_v2(address *a, void *p, unsigned f) { return *a = (address)p, 0; }
int cuFuncGetAttribute(int *to, int which, void *f) { return *to = which == 0 ? (is("wide cubin") ? 32 : 1024) : 0, 0; }
int cuFuncSetAttribute(void *f, int a, int v) { return 0; }
int cuLaunchKernel(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned s,
                   void *stream, void **args, void **extra) {
    launched = !strcmp(f, "checked") ? 2 : 1;
    // What a race of the first access would leave: lane 1 of warp 0 after a write by lane 0.
    if (launched == 2 && (is("race") || is("race, then illegal"))) {
        unsigned row[12] = {3, 1, 0, 0, 0, 0, 0, 5, 5u << 5, 5 | 3 << 8, 1, 0};
        row[7] = 5 | 5 << 15, row[8] = 5u << 5;
        memcpy(*(unsigned **)variables[0] + 16, row, sizeof row);
    }
    return 0;
}
int cuEventCreate(void **e, unsigned f) { return *e = &launched, 0; }
int cuEventRecord(void *e, void *s) { return 0; }
int cuEventQuery(void *e) {
    if (is("hang")) return 600;
    if (is("race, then illegal") && launched == 1) return 700;
    return is("illegal") && launched == 2 ? 700 : is("fails") ? 719 : 0;
}
int cuEventElapsedTime(float *ms, void *a, void *b) { return *ms = launched == 2 ? 2.5f : 1.25f, 0; }
int cuGetErrorString(int code, const char **text) { return *text = "unspecified launch failure", 0; }
