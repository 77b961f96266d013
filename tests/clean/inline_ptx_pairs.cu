// Two halves are added atomically each, an operand may be read and written, a vote may be spelled either way, and a strong
// vector is a strong access to each of its elements.
// lockstep: run --block 32 --grid 2 --arg 'sums=u32[2]' --arg 'flags=u32[4]' --arg 'out=f32[64]'
#include <assert.h>

__device__ unsigned add_pair(unsigned *at, unsigned pair) {
    unsigned old;
    asm volatile("{ atom.add.noftz.f16x2 %0,[%1],%2; }" : "=r"(old) : "l"(at), "r"(pair) : "memory");
    return old;
}

__device__ float log_of(float x) {
    asm("{ lg2.approx.f32 %0, %0; }" : "+f"(x));
    return x;
}

__device__ unsigned odd_lanes() {
    unsigned votes;
    asm volatile("{ .reg .pred p; setp.eq.u32 p, %1, 1; vote.ballot.sync.b32 %0, p, 0xffffffff; }"
                 : "=r"(votes)
                 : "r"(threadIdx.x & 1));
    return votes;
}

__device__ void publish(unsigned *at, unsigned a, unsigned b) {
    asm volatile("st.relaxed.gpu.v2.u32 [%0], {%1, %2};" ::"l"(at), "r"(a), "r"(b) : "memory");
}

__device__ uint2 look(unsigned *at) {
    uint2 v;
    asm volatile("ld.relaxed.gpu.v2.u32 {%0, %1}, [%2];" : "=r"(v.x), "=r"(v.y) : "l"(at) : "memory");
    return v;
}

__global__ void k(unsigned *sums, unsigned *flags, float *out) {
    add_pair(&sums[blockIdx.x], 0x40003c00); // 2 and 1
    __syncthreads();
    assert(add_pair(&sums[blockIdx.x], 0) == 0x54005000); // 64 and 32
    assert(odd_lanes() == 0xaaaaaaaa);
    // Any thread of any block may publish, and any may look.
    publish(flags, 7, 7);
    uint2 seen = look(flags);
    assert((seen.x == 0 || seen.x == 7) && (seen.y == 0 || seen.y == 7));
    out[blockIdx.x * blockDim.x + threadIdx.x] = log_of(8.0f);
    assert(log_of(8.0f) == 3.0f);
}
