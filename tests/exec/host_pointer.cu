// A kernel gets a pointer to memory of the host, and a null pointer.
#include <cstdlib>

__global__ void set(int *a) { a[threadIdx.x] = 1; }  // out-of-bounds

int main() {
    int *a = (int *)malloc(32 * sizeof(int));
    set<<<1, 32>>>(a);
    set<<<1, 1>>>(nullptr);
    free(a);
}
