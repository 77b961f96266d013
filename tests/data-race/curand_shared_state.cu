// lockstep: run --grid 1 --block 32 --arg own=u64[32] --arg out=f32[32]
// All threads draw from one generator, whose state they all replace; where each has a state of its own, nothing is
// wrong. No SDK is needed for the device side of cuRAND.
#include <curand_kernel.h>

__global__ void draw(curandState *own, float *out) {
    __shared__ curandStatePhilox4_32_10_t common;
    int t = threadIdx.x;
    curand_init(1234, t, 0, &own[t]);
    if (t == 0) curand_init(5678, 0, 0, &common);
    __syncthreads();
    out[t] = curand_uniform(&own[t]) + curand_normal2(&own[t]).y;
    out[t] += curand_uniform4(&common).w; //~ data-race
}
