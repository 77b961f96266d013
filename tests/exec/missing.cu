// Functions that are not there: the program is linked, and told when it calls one.
#include <cstdio>

int main() {
    cudaArray_t array;
    cudaChannelFormatDesc texels = {32, 0, 0, 0, cudaChannelFormatKindFloat};
    cudaError_t e = cudaMallocArray(&array, &texels, 16, 16);
    printf("%s\n", cudaGetErrorName(e));
    return 0;
}
