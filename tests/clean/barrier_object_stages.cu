// Barrier objects in shared memory: threads that wait for each other in turns, a warp that copies for two others through
// two stages, and a copy back that sees what was stored.
// lockstep[turns]: check --kernel turns --kernel write_back --block 64 --grid 1 --arg 'out=i32[64]'
// lockstep[stages]: check --kernel stages --block 96 --grid 1 --arg 'out=i32[64]' --arg 'in=i32[256]:iota'
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
    asm volatile("{\n"
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
__device__ void store(void *to, const void *from, unsigned bytes) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(shared_address(from)), "r"(bytes) : "memory");
    asm volatile("cp.async.bulk.commit_group;");
}

__global__ void turns(int *out) {
    __shared__ int s[64];
    __shared__ unsigned long long full;
    int t = threadIdx.x;
    if (t == 0) init(&full, 64);
    __syncthreads();
    int sum = 0;
    for (int i = 0; i < 4; ++i) {
        s[t] = i + t;
        arrive(&full);
        wait(&full, 0);
        sum += s[63 - t];
        arrive(&full);
        wait(&full, 1);
    }
    out[t] = sum;
}

__global__ void stages(int *out, const int *in) {
    __shared__ __align__(128) int tile[2][64];
    __shared__ unsigned long long full[2], empty[2];
    int t = threadIdx.x;
    if (t == 0)
        for (int i = 0; i < 2; ++i) init(full + i, 1), init(empty + i, 64);
    __syncthreads();
    if (t >= 64) {
        if (t == 64)
            for (int i = 0; i < 4; ++i) {
                if (i >= 2) wait(empty + i % 2, i / 2 + 1 & 1);
                expect(full + i % 2, 256);
                load(tile[i % 2], in + 64 * i, 256, full + i % 2);
            }
        return;
    }
    int sum = 0;
    for (int i = 0; i < 4; ++i) {
        wait(full + i % 2, i / 2 & 1);
        sum += tile[i % 2][63 - t];
        arrive(empty + i % 2);
    }
    out[t] = sum;
}

__global__ void write_back(int *out) {
    __shared__ __align__(16) int tile[64];
    tile[threadIdx.x] = threadIdx.x;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        store(out, tile, 256);
        asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
    }
}
