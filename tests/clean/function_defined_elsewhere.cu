// A function without a result whose body is in another file may write and wait: nothing is known then.
// exit: 3
extern __device__ void update(int *x, int v);

__global__ void k(int *out) {
    update(out, 3);
    out[threadIdx.x] = 1;
}
