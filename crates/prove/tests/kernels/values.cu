// --block 64 --grid 4
// Values read from memory.

// The paper's four alarms, as its figures give them.
__global__ void racy_alarm_1(volatile float *) {
    __shared__ float sdata[64];
    unsigned tid = threadIdx.x;
    if (tid < 32) {
        sdata[tid] = sdata[tid] + sdata[tid + 16];
    }
}
__global__ void maybe_alarm_2(unsigned *P) {
    if (blockIdx.x != 0) return;
    unsigned a = P[0];
    unsigned is_conn3 = P[threadIdx.x + 1000];
    if (is_conn3 != 0) P[threadIdx.x] = a + 1;
}
__global__ void maybe_alarm_3(float4 *newVel, const unsigned *gridParticleIndex) {
    unsigned index = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned orig = gridParticleIndex[index];
    newVel[orig] = make_float4(1, 2, 3, 0);
}
// Spurious in the paper; proved here.
__global__ void clean_alarm_4(int *) {
    __shared__ int M[64];
    M[threadIdx.x] = threadIdx.x;
    int x = M[threadIdx.x];
    M[x] = threadIdx.x + 7;
}
__global__ void racy_alarm_4(int *) {
    __shared__ int M[64];
    M[threadIdx.x] = threadIdx.x / 2;
    int x = M[threadIdx.x];
    M[x] = threadIdx.x + 7;
}

// Both threads read alike.
__global__ void clean_common_guard(int *a, const int *flag) {
    __shared__ int s[64];
    s[threadIdx.x] = 1;
    if (flag[0]) __syncthreads();
    if (flag[0]) a[blockIdx.x * 64 + threadIdx.x] = s[threadIdx.x];
}
__global__ void clean_common_offset(int *a, const int *offset) {
    a[(offset[0] & 1023) + blockIdx.x * 64 + threadIdx.x] = 1;
}
__global__ void maybe_own_offset(int *a, const int *offset) {
    a[offset[threadIdx.x]] = threadIdx.x;
}
__global__ void clean_shared_flag(int *a) {
    __shared__ int flag;
    __shared__ int s[64];
    if (threadIdx.x == 0) flag = a[1000];
    __syncthreads();
    if (flag) {
        s[threadIdx.x] = 1;
        __syncthreads();
        a[10000 + blockIdx.x * 64 + threadIdx.x] = s[63 - threadIdx.x];
    }
}
__global__ void clean_block_vote(int *a) {
    __shared__ int s[64];
    if (__syncthreads_or(threadIdx.x == 3)) {
        s[threadIdx.x] = 1;
        __syncthreads();
        a[blockIdx.x * 64 + threadIdx.x] = s[63 - threadIdx.x];
    }
}

__device__ int somewhere(int);

// A function that is only declared: assumed to have no effect, but nobody knows its value.
__global__ void clean_beside_a_foreign_call(int *a) {
    a[blockIdx.x * blockDim.x + threadIdx.x] = somewhere(threadIdx.x);
}

__global__ void maybe_foreign_index(int *a) { a[somewhere(threadIdx.x)] = threadIdx.x; }

// What the thread itself has stored is known, also behind a branch; not where somebody else may store.
__global__ void clean_own_store_behind_branch(int *a, int n) {
    __shared__ int M[64];
    M[threadIdx.x] = threadIdx.x;
    int x = 0;
    if (n > 3) {
        x = M[threadIdx.x];
        M[x] = 7;
    } else {
        x = M[threadIdx.x];
    }
    M[x] = threadIdx.x + 7;
}
__global__ void maybe_own_store_on_one_way(int *a, int n) {
    __shared__ int M[64];
    M[threadIdx.x] = a[threadIdx.x];
    if (n > 3) M[threadIdx.x] = threadIdx.x;
    a[1000 + M[threadIdx.x]] = threadIdx.x;
}
__global__ void maybe_own_store_before_barrier(int *a) {
    __shared__ int M[64];
    M[threadIdx.x] = threadIdx.x;
    __syncthreads();
    M[threadIdx.x ^ 1] = 5;
    __syncthreads();
    a[blockIdx.x * 64 + M[threadIdx.x]] = threadIdx.x;
}

// Written by one, read by all behind a barrier: the same for all.
struct Header { int first, count; };
__global__ void clean_header(int *a, const Header *h) {
    __shared__ Header own;
    if (threadIdx.x == 0) own = h[blockIdx.x & 1];
    __syncthreads();
    if ((int)threadIdx.x < own.count) a[(own.first & 3) * 256 + blockIdx.x * 64 + threadIdx.x] = 1;
}
__global__ void maybe_header_of_each(int *a, const Header *h) {
    Header own = h[threadIdx.x];
    a[own.first] = threadIdx.x;
}
__constant__ const int offsets[16] = {0, 64, 128};
__constant__ Header headers[4];
__constant__ int set_by_host = 0;
__global__ void clean_constant_offset(int *a, int which) {
    a[offsets[which & 1] * 1024 + blockIdx.x * 64 + threadIdx.x] = offsets[2];
}
__global__ void clean_constant_header(int *a) {
    if (headers[blockIdx.x].count > 2) __syncthreads();
    a[(headers[1].first & 7) * 1024 + blockIdx.x * 64 + threadIdx.x] = 1;
}
// The host may have set what is not const.
__global__ void racy_set_by_host(int *a) {
    if (set_by_host) a[0] = threadIdx.x;
}
__global__ void racy_const_is_known(int *a) {
    if (offsets[1] == 64) a[0] = threadIdx.x;
}
__global__ void clean_const_is_known(int *a) {
    if (offsets[1] == 65) a[0] = threadIdx.x;
}
// A pointer in a constant: the struct that a local one is a copy of.
struct Holder {
    int *own;
    __device__ void put(int i, int v) { own[i] = v; }
};
__global__ void clean_pointer_in_constant(int *a) {
    __shared__ int s[64];
    Holder h{s};
    h.put(threadIdx.x, 1);
}
__global__ void racy_pointer_in_constant(int *a) {
    __shared__ int s[64];
    Holder h{s};
    h.put(threadIdx.x / 2, threadIdx.x);
}
__global__ void racy_constant_permutation(int *a) { a[offsets[threadIdx.x & 15]] = threadIdx.x; }
__global__ void racy_same_value_loaded(int *a, const int *b) {
    __shared__ int s;
    s = b[blockIdx.x];
    __syncthreads();
    a[blockIdx.x * 64 + threadIdx.x] = s;
}

// Order through a ticket and a fence ...
__device__ unsigned arrived;
__global__ void clean_last_block(const float *in, float *partial, float *out) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = in[blockIdx.x];
        __threadfence();
        last = atomicInc(&arrived, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        float sum = 0;
        for (int i = 0; i < gridDim.x; ++i) sum += partial[i];
        *out = sum;
    }
}
// ... or through a flag: never a certain race.
__global__ void maybe_flag(int *data, volatile int *flag) {
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        data[0] = 42;
        __threadfence();
        *flag = 1;
    }
    if (blockIdx.x == 1 && threadIdx.x == 0) {
        while (*flag == 0) {}
        __threadfence();
        data[1] = data[0];
    }
}

// Memory that the thread has allocated is nobody else's.
__global__ void clean_allocated(int *a) {
    int *own = (int *)malloc(16 * sizeof(int));
    if (!own) return;
    for (int i = 0; i < 16; ++i) own[i] = threadIdx.x + i;
    a[blockIdx.x * 64 + threadIdx.x] = own[3];
    free(own);
}
__global__ void maybe_allocation_published(int *a) {
    __shared__ int *all;
    int *own = (int *)malloc(16 * sizeof(int));
    if (threadIdx.x == 0) all = own;
    __syncthreads();
    all[0] = threadIdx.x;
    own[0] = 1;
}

// What says something, or tells the time, or waits, stands in no way.
__global__ void clean_output(int *a) {
    long long start = clock64();
    printf("%d %d\n", threadIdx.x, blockIdx.x);
    __nanosleep(100);
    assert(blockDim.x == 64);
    if (blockDim.x != 64) __trap();
    a[blockIdx.x * 64 + threadIdx.x] = (int)(clock64() - start);
}
__global__ void maybe_index_of_time(int *a) { a[clock() & 255] = threadIdx.x; }

// A call of something unknown stands in the way only where somebody comes to it.
__device__ void unknown(int *);
__global__ void clean_nobody_calls(int *a) {
    if (threadIdx.x > 63) unknown(a);
    a[blockIdx.x * 64 + threadIdx.x] = 1;
}
