// Binomial options: prices at the leaves, folded step by step; in one form a barrier of the fold is missing.
// launch[bug]: --kernel bo_without --block 64 --grid 2 --arg 'strike=f32[2]:random' --arg 'price=f32[2]'
// launch[normal]: --kernel bo_with --block 64 --grid 2 --arg 'strike=f32[2]:random' --arg 'price=f32[2]'
// launch[large]: --kernel bo_with --block 64 --grid 524288 --arg 'strike=f32[524288]:random' --arg 'price=f32[524288]'
template <bool barrier> __device__ void fold(const float *strike, float *price) {
    __shared__ float call[64];
    int t = threadIdx.x;
    float leaf = t * 0.1f - strike[blockIdx.x];
    call[t] = leaf > 0 ? leaf : 0;
    __syncthreads();
    for (int steps = 63; steps > 0; --steps) {
        float next = 0;
        if (t < steps) next = 0.5f * (call[t] + call[t + 1]);  //~ data-race
        if (barrier) __syncthreads();
        if (t < steps) call[t] = next;  //~ data-race
        __syncthreads();
    }
    if (t == 0) price[blockIdx.x] = call[0];
}
__global__ void bo_with(const float *strike, float *price) { fold<true>(strike, price); }
__global__ void bo_without(const float *strike, float *price) { fold<false>(strike, price); }
