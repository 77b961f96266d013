// The host dereferences a pointer of the device, and dies of it as it would anyway.
#include <cstdio>

__global__ void set(int *a) { *a = 1; }

int main() {
    int *a;
    cudaMalloc(&a, sizeof(int));
    set<<<1, 1>>>(a);
    printf("the kernel has run\n");
    fflush(stdout);
    printf("%d\n", *a);  // api-error
}
