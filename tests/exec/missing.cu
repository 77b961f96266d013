// Functions that are not there: the program is linked, and told when it calls one.
#include <cstdio>

int main() {
    cudaIpcMemHandle_t handle;
    cudaError_t e = cudaIpcGetMemHandle(&handle, nullptr);
    printf("%s\n", cudaGetErrorName(e));
    return 0;
}
