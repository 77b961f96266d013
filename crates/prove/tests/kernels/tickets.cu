// --block 64 --grid 4
// Numbers drawn from counters.

__device__ int counter;
__global__ void clean_ticket(int *out) { out[atomicAdd(&counter, 1)] = threadIdx.x; }
__global__ void clean_ticket_of_parameter(int *out, unsigned *c) { out[atomicAdd(c, 1u)] = threadIdx.x; }
__global__ void clean_ticket_of_two(int *out, unsigned *c) {
    unsigned at = atomicAdd(c, 2u);
    out[at] = threadIdx.x;
    out[at + 1] = threadIdx.x;
}
__global__ void maybe_ticket_too_small(int *out, unsigned *c) {
    unsigned at = atomicAdd(c, 2u);
    out[at] = threadIdx.x;
    out[at + 2] = threadIdx.x;
}
__global__ void clean_ticket_in_loop(int *out, unsigned *c, const int *in, int n) {
    for (int i = threadIdx.x; i < n; i += 64)
        if (in[i] > 0) out[atomicAdd(c, 1u)] = in[i];
}
__global__ void clean_ticket_guarded(int *out, int *c, int most) {
    int at = atomicAdd(c, 1);
    if (at < most) out[at] = threadIdx.x;
}
__global__ void clean_two_draws(int *out, unsigned *c) {
    out[atomicAdd(c, 1u)] = threadIdx.x;
    if (threadIdx.x & 1) out[atomicAdd(c, 1u)] = threadIdx.x;
}
__global__ void clean_downwards(int *out, int *c) { out[atomicSub(c, 1)] = threadIdx.x; }
__global__ void clean_added_negative(int *out, int *c) { out[atomicAdd(c, -1)] = threadIdx.x; }
__global__ void clean_inc_without_limit(int *out, unsigned *c) { out[atomicInc(c, 0xffffffffu)] = threadIdx.x; }
__global__ void maybe_inc_with_limit(int *out, unsigned *c, unsigned n) { out[atomicInc(c, n)] = threadIdx.x; }
__global__ void maybe_added_nothing(int *out, unsigned *c) { out[atomicAdd(c, 0u)] = threadIdx.x; }
__global__ void maybe_both_ways(int *out, int *c) {
    out[atomicAdd(c, 1)] = threadIdx.x;
    atomicSub(c, 1);
}
__global__ void maybe_exchanged(int *out, unsigned *c) {
    out[atomicAdd(c, 1u)] = threadIdx.x;
    if (threadIdx.x == 7) atomicExch(c, 0u);
}
__global__ void maybe_largest(int *out, int *c) { out[atomicMax(c, (int)threadIdx.x)] = threadIdx.x; }
__global__ void maybe_halved(int *out, unsigned *c) { out[atomicAdd(c, 1u) / 2] = threadIdx.x; }
__global__ void maybe_two_counters(int *out, unsigned *c) {
    out[atomicAdd(c + (threadIdx.x & 1), 1u)] = threadIdx.x;
}
__global__ void clean_rows_of_counters(int *out, unsigned *c, const unsigned *bin) {
    unsigned b = bin[blockIdx.x * 64 + threadIdx.x] & 15;
    unsigned at = atomicAdd(c + b, 1u);
    if (at < 1024) out[b * 1024 + at] = threadIdx.x;
}
// As many as the thread has, which others cannot see.
__global__ void clean_reserved_range(int *out, unsigned *c, const int *count) {
    unsigned n = count[blockIdx.x * 64 + threadIdx.x] & 7;
    unsigned at = atomicAdd(c, n);
    for (unsigned i = 0; i < n; ++i) out[at + i] = threadIdx.x;
}
__global__ void maybe_reserved_too_little(int *out, unsigned *c, const int *count) {
    unsigned n = count[blockIdx.x * 64 + threadIdx.x] & 7;
    unsigned at = atomicAdd(c, n);
    for (unsigned i = 0; i <= n; ++i) out[at + i] = threadIdx.x;
}

// Counters of the block.
__global__ void clean_shared_counter(int *out) {
    __shared__ int n, list[64];
    if (threadIdx.x == 0) n = 0;
    __syncthreads();
    list[atomicAdd(&n, 1)] = threadIdx.x;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = list[threadIdx.x];
}
__global__ void clean_shared_counter_reset(int *out, int rounds) {
    __shared__ int n, list[64];
    for (int i = 0; i < rounds; ++i) {
        if (threadIdx.x == 0) n = 0;
        __syncthreads();
        list[atomicAdd(&n, 1)] = i;
        __syncthreads();
    }
}
__global__ void maybe_shared_counter_reset_between(int *out) {
    __shared__ int n, list[64];
    if (threadIdx.x == 0) n = 0;
    __syncthreads();
    int first = threadIdx.x < 32 ? atomicAdd(&n, 1) : 0;
    __syncthreads();
    if (threadIdx.x == 0) n = 0;
    __syncthreads();
    int second = threadIdx.x >= 32 ? atomicAdd(&n, 1) : 0;
    list[threadIdx.x < 32 ? first : second] = threadIdx.x;
}
__global__ void maybe_tickets_kept_over_a_reset(int *out) {
    __shared__ int n, list[64];
    int mine = 0;
    for (int i = 0; i < 2; ++i) {
        if (threadIdx.x == 0) n = 0;
        __syncthreads();
        if ((threadIdx.x & 1) == i) mine = atomicAdd(&n, 1);
        __syncthreads();
    }
    list[mine] = threadIdx.x;
}
__global__ void maybe_shared_counter_without_barrier(int *out) {
    __shared__ int n, list[64];
    if (threadIdx.x == 0) n = 0;
    list[atomicAdd(&n, 1)] = threadIdx.x;
}
__global__ void maybe_shared_counter_for_the_grid(int *out) {
    __shared__ int n;
    if (threadIdx.x == 0) n = 0;
    __syncthreads();
    out[atomicAdd(&n, 1)] = threadIdx.x;
}

// Twice a number that was drawn, and the place behind it: as long as the numbers are small.
__global__ void clean_pairs_appended(const int *in, int *out, unsigned *count, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i]) {
        unsigned at = atomicAdd(count, 1u);
        out[2 * at] = i;
        out[2 * at + 1] = in[i];
    }
}
__global__ void maybe_pairs_overlap(const int *in, int *out, unsigned *count, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i]) {
        unsigned at = atomicAdd(count, 1u);
        out[2 * at] = i;
        out[2 * at + 2] = in[i];
    }
}
