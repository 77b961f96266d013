// Two stages by inline PTX: one is copied while the other is used.
// lockstep: run --block 64 --grid 1 --arg 'out=f32[64]' --arg 'in=f32[256]:iota' --arg tiles=4 --dump out
__device__ void copy(float *to, const float *from) {
    unsigned at = (unsigned)__cvta_generic_to_shared(to);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at), "l"(from) : "memory");
}
__global__ void stages(float *out, const float *in, int tiles) {
    __shared__ float s[2][64];
    int t = threadIdx.x;
    float sum = 0;
    copy(&s[0][t], &in[t]);
    asm volatile("cp.async.commit_group;" ::: "memory");
    for (int k = 0; k < tiles; ++k) {
        if (k + 1 < tiles) copy(&s[(k + 1) & 1][t], &in[(k + 1) * 64 + t]);
        asm volatile("cp.async.commit_group;" ::: "memory");
        asm volatile("cp.async.wait_group 1;" ::: "memory");
        __syncthreads();
        sum += s[k & 1][63 - t];
        __syncthreads();
    }
    out[t] = sum;
}
