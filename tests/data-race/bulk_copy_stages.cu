// What a barrier object does not order: a stage that is overwritten before all have read it, a copy whose phase nobody
// waits for, a copy that still reads what is stored, a phase that ends with half of the threads.
// lockstep: check --block 64 --grid 1 --arg 'out=i32[64]' --arg 'in=i32[256]:iota'
__device__ unsigned shared_address(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ void init(unsigned long long *b, unsigned n) { asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_address(b)), "r"(n) : "memory"); }
__device__ void arrive(unsigned long long *b) {
    unsigned long long state;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(shared_address(b)) : "memory");
}
__device__ void expect(unsigned long long *b, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(b)), "r"(bytes) : "memory");
}
__device__ void wait(unsigned long long *b, unsigned parity) {
    asm volatile("{\n" //~ deadlock
                 ".reg .pred P1;\n"
                 "LAB_WAIT_%=:\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 P1, [%0], %1;\n"
                 "@P1 bra DONE_%=;\n"
                 "bra LAB_WAIT_%=;\n"
                 "DONE_%=:\n"
                 "}" ::"r"(shared_address(b)), "r"(parity) : "memory");
}
__device__ void load(void *to, const void *from, unsigned bytes, unsigned long long *b) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" //~ data-race
                 ::"r"(shared_address(to)), "l"(from), "r"(bytes), "r"(shared_address(b)) : "memory");
}
__device__ void store(void *to, const void *from, unsigned bytes) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(shared_address(from)), "r"(bytes) : "memory"); //~ data-race
    asm volatile("cp.async.bulk.commit_group;");
}

__global__ void stage_not_empty(int *out, const int *in) {
    __shared__ __align__(128) int tile[64];
    __shared__ unsigned long long full;
    int t = threadIdx.x;
    if (t == 0) init(&full, 1);
    __syncthreads();
    int sum = 0;
    for (int i = 0; i < 4; ++i) {
        if (t == 0) {
            expect(&full, 256);
            load(tile, in + 64 * i, 256, &full);
        }
        wait(&full, i & 1);
        sum += tile[63 - t]; //~ data-race
    }
    out[t] = sum;
}

__global__ void phase_not_awaited(int *out, const int *in) {
    __shared__ __align__(128) int tile[64];
    __shared__ unsigned long long full;
    int t = threadIdx.x;
    if (t == 0) {
        init(&full, 1);
        expect(&full, 256);
        load(tile, in, 256, &full);
    }
    __syncthreads();
    out[t] = tile[t]; //~ data-race
}

__global__ void reused_too_early(int *out, const int *in) {
    __shared__ __align__(16) int tile[64];
    tile[threadIdx.x] = threadIdx.x;
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) store(out, tile, 256);
    __syncthreads();
    tile[threadIdx.x] = 0; //~ data-race
    if (threadIdx.x == 0) asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

__global__ void too_few_arrivals(int *out, const int *in) {
    __shared__ int s[64];
    __shared__ unsigned long long full;
    int t = threadIdx.x;
    if (t == 0) init(&full, 32);
    __syncthreads();
    s[t] = t; //~ data-race
    arrive(&full);
    wait(&full, 0);
    out[t] = s[63 - t]; //~ data-race
}
