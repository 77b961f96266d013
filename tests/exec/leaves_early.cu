// The program leaves with _exit in the middle, from a callback of the host: what was found is reported.
#include <cstdio>
#include <unistd.h>

__global__ void beyond(int *a) { a[threadIdx.x] = 1; }  // out-of-bounds

static void leave(void *) {
    fflush(stdout);
    _exit(5);
}

int main() {
    int *a;
    cudaMalloc(&a, 30 * sizeof(int));
    beyond<<<1, 32>>>(a);
    printf("leaving\n");
    cudaLaunchHostFunc(0, leave, nullptr);
    printf("never\n");
}
