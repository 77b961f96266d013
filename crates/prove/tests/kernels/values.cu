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
