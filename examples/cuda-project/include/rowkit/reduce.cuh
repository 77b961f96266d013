// Reductions over a block, a warp at a time.
#pragma once

namespace rowkit {

struct Sum {
    template <class T> __device__ T operator()(T a, T b) const { return a + b; }
};

struct Max {
    template <class T> __device__ T operator()(T a, T b) const { return a > b ? a : b; }
};

template <class T, class Op>
__device__ T warp_reduce(T value, Op op) {
    for (int offset = 16; offset > 0; offset /= 2)
        value = op(value, __shfl_xor_sync(0xffffffffu, value, offset));
    return value;
}

// Every thread of the block gets the result. `scratch` holds one value for each warp.
template <int BLOCK, class T, class Op>
__device__ T block_reduce(T value, T *scratch, Op op) {
    constexpr int WARPS = BLOCK / 32;
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    value = warp_reduce(value, op);
    if (lane == 0) scratch[warp] = value;
    __syncthreads();
    T result = scratch[0];
    for (int w = 1; w < WARPS; ++w) result = op(result, scratch[w]);
    // A caller that reduces twice through one scratch needs a barrier here: another warp may still read.
    return result;
}

} // namespace rowkit
