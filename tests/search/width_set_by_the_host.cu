// lockstep: search
// The host sets the width before the launch; that it is zero in the module's image says nothing about the kernel.
// exit: 3
__constant__ int width;

__global__ void fill(float *out) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    out[y * width + x] = x + 100 * y; //~ data-race
}
