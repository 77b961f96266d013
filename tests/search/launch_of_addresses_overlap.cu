// A launch by a call, whose arguments are two places in one allocated array: block and thread i writes what i - 1 reads.
// lockstep: check --only data-race
__global__ void twice(int *to, const int *from) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] = from[i] * 2; //~ data-race
}

__global__ void apart(int *to, const int *from) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] = from[i] * 2;
}

__global__ void same(int *to, const int *from) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] = from[(i & ~3) + (i + 1) % 4] * 2; //~ data-race
}

int main() {
    int *data, *other;
    cudaMalloc(&data, 1025 * sizeof(int));
    cudaMalloc(&other, 1025 * sizeof(int));
    int *next = data + 1;
    void *both[] = {&data, &next}, *each[] = {&data, &other}, *one[] = {&other, &other};
    cudaLaunchKernel((void *)twice, dim3(4), dim3(256), both, 0, 0);
    cudaLaunchKernel((void *)apart, dim3(4), dim3(256), each, 0, 0);
    cudaLaunchKernel((void *)same, dim3(4), dim3(256), one, 0, 0);
}
