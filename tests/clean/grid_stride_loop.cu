// lockstep: run --block 32 --grid 2 --arg 'a=i32[300]:iota' --arg n=300
__global__ void twice(int *a, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        a[i] *= 2;
}
