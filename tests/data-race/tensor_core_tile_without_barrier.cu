// The lanes of a product load rows that other lanes have stored, without a barrier; and the next tile is stored while
// other warps still load this one. Addresses of 32 bits are followed to their arrays.
// lockstep: check --block 64 --grid 1
__device__ void load(unsigned (&a)[2], unsigned at) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];" : "=r"(a[0]), "=r"(a[1]) : "r"(at)); //~ data-race
}

__device__ void multiply(unsigned (&d)[2], const unsigned (&a)[2]) {
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3}, {%4}, {%0, %1};"
                 : "+r"(d[0]), "+r"(d[1])
                 : "r"(a[0]), "r"(a[1]), "r"(a[0]));
}

__global__ void without_barrier(unsigned *out, const uint4 *in) {
    __shared__ uint4 rows[16];
    unsigned a[2], d[2] = {};
    if (threadIdx.x < 16) rows[threadIdx.x] = in[threadIdx.x]; //~ data-race
    load(a, (unsigned)__cvta_generic_to_shared(rows + threadIdx.x % 16));
    multiply(d, a);
    out[threadIdx.x] = d[0] + d[1];
}

__global__ void reused_too_early(unsigned *out, const uint4 *in) {
    __shared__ uint4 rows[16];
    unsigned base = (unsigned)__cvta_generic_to_shared(rows), d[2] = {};
    for (int tile = 0; tile < 2; ++tile) {
        if (threadIdx.x < 16) rows[threadIdx.x] = in[tile * 16 + threadIdx.x]; //~ data-race
        __syncthreads();
        unsigned a[2];
        load(a, base + threadIdx.x % 16 * 16);
        multiply(d, a);
    }
    out[threadIdx.x] = d[0] + d[1];
}

__global__ void with_barriers(unsigned *out, const uint4 *in) {
    __shared__ uint4 rows[2][16];
    unsigned at = (unsigned)__cvta_generic_to_shared(rows[0] + threadIdx.x % 16), d[2] = {};
    for (int tile = 0; tile < 4; ++tile) {
        if (threadIdx.x < 16) rows[tile % 2][threadIdx.x] = in[tile * 16 + threadIdx.x];
        __syncthreads();
        unsigned a[2];
        load(a, at + tile % 2 * 256);
        multiply(d, a);
    }
    out[threadIdx.x] = d[0] + d[1];
}
