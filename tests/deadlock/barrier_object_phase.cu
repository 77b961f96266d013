// A phase that never ends: it waits for more bytes than are copied, or for more threads than arrive.
// lockstep[bytes]: run --kernel too_many_bytes --block 64 --grid 1 --arg 'out=i32[64]' --arg 'in=i32[256]:iota'
// lockstep[arrivals]: run --kernel too_many_arrivals --block 64 --grid 1 --arg 'out=i32[64]' --arg 'in=i32[256]:iota'
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
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                 ::"r"(shared_address(to)), "l"(from), "r"(bytes), "r"(shared_address(b)) : "memory");
}

__global__ void too_many_bytes(int *out, const int *in) {
    __shared__ __align__(128) int tile[64];
    __shared__ unsigned long long full;
    int t = threadIdx.x;
    if (t == 0) {
        init(&full, 1);
        expect(&full, 512);
        load(tile, in, 256, &full);
    }
    __syncthreads();
    wait(&full, 0);
    out[t] = tile[t];
}

__global__ void too_many_arrivals(int *out, const int *in) {
    __shared__ int s[64];
    __shared__ unsigned long long full;
    int t = threadIdx.x;
    if (t == 0) init(&full, 65);
    __syncthreads();
    s[t] = t;
    arrive(&full);
    wait(&full, 0);
    out[t] = s[63 - t];
}
