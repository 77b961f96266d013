//xfail:NOT_ALL_VERIFIED
//--blockDim=512 --gridDim=1
// lockstep[many]: run --arg 'out=i32[512]' --arg 'state=i32[256]'
// lockstep[few]: run --block 256 --arg 'out=i32[512]' --arg 'state=i32[256]'
// An MTGP32 state serves up to 256 threads of one block; more of them update it at the same places.
#include <cuda.h>

__global__ void draw(curandStateMtgp32_t *state, unsigned *out) {
    out[threadIdx.x] = curand(state); //~[many] data-race
}
