// --block any --grid any
// What every kernel of the file may rely on.
__axiom(blockDim.x == 64 && blockDim.y == 1 && blockDim.z == 1);
__axiom(gridDim.x <= 4096 && gridDim.y == 1 && gridDim.z == 1);

__global__ void clean_under_the_axioms(int *a) { a[blockIdx.x * 64 + threadIdx.x] = 1; }
__global__ void racy_all_the_same(int *a) { a[blockIdx.x * 63 + threadIdx.x] = threadIdx.x; }
__global__ void clean_through_volatile(int *a) {
    volatile int i = blockIdx.x * 64 + threadIdx.x;
    if (i >= 0) a[i] = i;
}
__global__ void racy_through_volatile(int *a) {
    volatile int i = threadIdx.x / 2;
    a[i] = threadIdx.x;
}
// Nothing is known of another tool's ghost state, so nothing follows from this.
__global__ void racy_under_ghost(int *a) {
    __requires(__read_offset_bytes(a) == 1234);
    a[0] = threadIdx.x;
}
