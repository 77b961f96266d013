// --block 64 --grid 1

__global__ void clean_syncwarp(int *out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = t;
    __syncwarp();
    out[t] = s[t ^ 1];
}
__global__ void maybe_syncwarp_across_warps(int *out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = t;
    __syncwarp();
    out[t] = s[t ^ 32];
}
__global__ void maybe_syncwarp_of_few(int *out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = t;
    if (t & 1) __syncwarp();
    out[t] = s[t ^ 1];
}
__global__ void clean_shuffle(int *out) {
    int v = __shfl_xor_sync(0xffffffffu, threadIdx.x, 1);
    out[threadIdx.x] = v;
}
__global__ void maybe_shuffled_index(int *out) {
    int v = __shfl_sync(0xffffffffu, threadIdx.x, 0);
    out[v] = threadIdx.x;
}

// What all lanes of a warp have alike: votes, and what one lane gives to all.
__global__ void clean_vote_is_common(int *out) {
    __shared__ int s[64];
    if (__any_sync(0xffffffffu, out[1000 + threadIdx.x] > 3)) {
        s[threadIdx.x] = threadIdx.x;
        __syncwarp();
        out[threadIdx.x] = s[threadIdx.x ^ 1];
    }
}
__global__ void maybe_vote_of_another_warp(int *out) {
    __shared__ int s[2];
    if (__any_sync(0xffffffffu, out[1000 + threadIdx.x] > 3)) s[threadIdx.x & 1] = threadIdx.x;
}
__global__ void clean_ballot_offset(int *out, const int *in) {
    unsigned votes = __ballot_sync(0xffffffffu, in[threadIdx.x] > 0);
    if (threadIdx.x < 32) out[(votes & 255) + threadIdx.x] = 1;
}
__global__ void maybe_ballot_of_two_warps(int *out, const int *in) {
    unsigned votes = __ballot_sync(0xffffffffu, in[threadIdx.x] > 0);
    out[(votes & 255) + threadIdx.x] = threadIdx.x;
}
__global__ void clean_first_lane_gives(int *out, const int *in) {
    int base = 0;
    if ((threadIdx.x & 31) == 0) base = in[threadIdx.x / 32] & 1023;
    base = __shfl_sync(0xffffffffu, base, 0);
    if (threadIdx.x < 32) out[base + threadIdx.x] = 1;
}
__global__ void maybe_other_lane_gives(int *out, const int *in) {
    int base = __shfl_xor_sync(0xffffffffu, in[threadIdx.x] & 1023, 1);
    if (threadIdx.x < 32) out[base + threadIdx.x] = threadIdx.x;
}
__global__ void clean_uniform_value_shuffled(int *out, int n) {
    int base = __shfl_down_sync(0xffffffffu, n & 1023, 4);
    out[base + threadIdx.x] = 1;
}
__global__ void clean_warp_number_shuffled(int *out) {
    int warp = __shfl_sync(0xffffffffu, threadIdx.x / 32, 0);
    out[warp * 32 + (threadIdx.x & 31)] = 1;
}
// Lanes that do not come together have nothing in common.
__global__ void maybe_vote_of_few(int *out, const int *in) {
    unsigned votes = 0;
    if (in[threadIdx.x]) votes = __ballot_sync(0xffffffffu, in[threadIdx.x] > 1);
    if (threadIdx.x < 32) out[(votes & 255) + threadIdx.x] = threadIdx.x;
}
__global__ void maybe_active_lanes(int *out) { out[__activemask() & 255] = threadIdx.x; }
__global__ void maybe_matching_lanes(int *out) {
    out[__match_any_sync(0xffffffffu, threadIdx.x & 3) & 255] = threadIdx.x;
}
__global__ void clean_all_match(int *out, const int *in) {
    int same;
    __match_all_sync(0xffffffffu, in[threadIdx.x], &same);
    if (same) {
        __syncwarp();
        out[threadIdx.x] = 1;
    }
}
__global__ void clean_lane_masks(int *out) {
    unsigned below;
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(below));
    if (threadIdx.x < 32) out[__popc(below) * 0 + threadIdx.x] = 1;
}
__global__ void clean_reduced_value(int *out, const int *in) {
    int sum = __reduce_add_sync(0xffffffffu, in[threadIdx.x]);
    out[threadIdx.x] = sum;
}
__global__ void clean_unanimous(int *out) {
    if (!__all_sync(0xffffffffu, threadIdx.x < 64)) out[0] = threadIdx.x;
    if (threadIdx.x < 20 && __any(threadIdx.x > 63)) out[1] = threadIdx.x;
}
__global__ void racy_unanimous(int *out) {
    if (threadIdx.x < 20 && __all(threadIdx.x < 64)) out[0] = threadIdx.x;
}

// Tiles of a warp: a mask that names the lanes of the thread's own tile orders those.
__global__ void clean_tile_of_eight(int *out) {
    __shared__ int s[64];
    int t = threadIdx.x, lane = t & 31;
    s[t] = t;
    __syncwarp(0xffu << (lane & ~7));
    out[t] = s[t ^ 7];
}
__global__ void maybe_tile_of_eight_and_its_neighbour(int *out) {
    __shared__ int s[64];
    int t = threadIdx.x, lane = t & 31;
    s[t] = t;
    __syncwarp(0xffu << (lane & ~7));
    out[t] = s[t ^ 8];
}
__global__ void clean_halves(int *out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = t;
    __syncwarp((t & 31) < 16 ? 0xffffu : 0xffff0000u);
    out[t] = s[t ^ 15];
}
__global__ void clean_lower_half_alone(int *out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    if ((t & 31) < 16) {
        s[t] = t;
        __syncwarp(0xffffu);
        out[t] = s[t ^ 15];
    }
}
__global__ void maybe_part_of_a_tile(int *out) {
    __shared__ int s[64];
    int t = threadIdx.x, lane = t & 31;
    s[t] = t;
    if (t & 1) __syncwarp(0xffu << (lane & ~7));
    out[t] = s[t ^ 1];
}
__global__ void maybe_not_a_tile(int *out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = t;
    __syncwarp((t & 1) ? 0xaaaaaaaau : 0x55555555u);
    out[t] = s[t ^ 2];
}
// The second barrier does not order the lane that reads with the one that then writes.
__global__ void maybe_second_tile_is_smaller(int *out) {
    __shared__ int s[64];
    int t = threadIdx.x, lane = t & 31;
    s[t] = t;
    __syncwarp(0xffu << (lane & ~7));
    int a = s[t ^ 7];
    __syncwarp(0xfu << (lane & ~3));
    s[t ^ 3] = a;
}
__global__ void clean_both_tiles(int *out) {
    __shared__ int s[64];
    int t = threadIdx.x, lane = t & 31;
    s[t] = t;
    __syncwarp(0xffu << (lane & ~7));
    int a = s[t ^ 1];
    __syncwarp(0xfu << (lane & ~3));
    s[t ^ 3] = a;
}
