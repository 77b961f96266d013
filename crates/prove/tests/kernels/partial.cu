// --block 128 --grid 4
// Barriers of some of a block's threads: proved where they are of so many consecutive ones.
__device__ void meet(int id, int n) { asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(n) : "memory"); }
__global__ void clean_halves(int *out, const int *in) {
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = in[t];
    if (t < 64) meet(1, 64);
    else meet(2, 64);
    out[blockIdx.x * 128 + t] = s[t ^ 63];
}
__global__ void maybe_across_halves(int *out, const int *in) {
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = in[t];
    if (t < 64) meet(1, 64);
    else meet(2, 64);
    out[blockIdx.x * 128 + t] = s[127 - t];
}
__global__ void clean_number_by_thread(int *out, const int *in) {
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = in[t];
    meet(1 + t / 64, 64);
    out[blockIdx.x * 128 + t] = s[t ^ 63];
}
// All 128 threads come to one barrier of 64: which of them meet is not said.
__global__ void maybe_one_number_for_all(int *out, const int *in) {
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = in[t];
    meet(1, 64);
    out[blockIdx.x * 128 + t] = s[t ^ 63];
}
__global__ void maybe_number_of_the_block(int *out, const int *in) {
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = in[t];
    meet(t / 64, 64);
    out[blockIdx.x * 128 + t] = s[t ^ 63];
    __syncthreads();
}
__global__ void maybe_two_numbers_in_a_half(int *out, const int *in) {
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = in[t];
    meet(1 + t / 32, 64);
    out[blockIdx.x * 128 + t] = s[t ^ 63];
}
__global__ void clean_one_half_in_rounds(int *out, const int *in, int n) {
    __shared__ int s[64];
    int t = threadIdx.x, sum = 0;
    if (t < 64) {
        for (int k = 0; k < n; ++k) {
            s[t] = in[k * 64 + t];
            meet(1, 64);
            sum += s[63 - t];
            meet(1, 64);
        }
        out[blockIdx.x * 64 + t] = sum;
    }
}
__global__ void maybe_next_round_too_early(int *out, const int *in, int n) {
    __shared__ int s[64];
    int t = threadIdx.x, sum = 0;
    if (t < 64) {
        for (int k = 0; k < n; ++k) {
            s[t] = in[k * 64 + t];
            meet(1, 64);
            sum += s[63 - t];
        }
        out[blockIdx.x * 64 + t] = sum;
    }
}
__global__ void clean_whole_block(int *out, const int *in) {
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = in[t];
    asm volatile("bar.sync 1, 128;" ::: "memory");
    out[blockIdx.x * 128 + t] = s[127 - t];
}
__global__ void clean_with_warps(int *out, const int *in) {
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = in[t];
    meet(1 + t / 64, 64);
    int a = s[t ^ 63];
    meet(1 + t / 64, 64);
    s[t] = a;
    __syncwarp();
    out[blockIdx.x * 128 + t] = s[t ^ 31];
}
