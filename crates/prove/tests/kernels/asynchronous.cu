// --block 64 --grid 4
// Asynchronous copies of single threads: proved where each is waited for before it matters.
__global__ void clean_waited(float *out, const float *in) {
    __shared__ float s[64];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&s[t], &in[t], sizeof(float));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    out[blockIdx.x * 64 + t] = s[63 - t];
}
__global__ void clean_several(float *out, const float *in) {
    __shared__ float s[256];
    int t = threadIdx.x;
    for (int k = 0; k < 4; ++k) __pipeline_memcpy_async(&s[k * 64 + t], &in[k * 64 + t], sizeof(float));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    out[blockIdx.x * 64 + t] = s[255 - t];
}
__global__ void clean_rounds(float *out, const float *in, int rounds) {
    __shared__ float s[64];
    int t = threadIdx.x;
    float sum = 0;
    for (int k = 0; k < rounds; ++k) {
        __pipeline_memcpy_async(&s[t], &in[k * 64 + t], sizeof(float));
        __pipeline_commit();
        __pipeline_wait_prior(0);
        __syncthreads();
        sum += s[63 - t];
        __syncthreads();
    }
    out[blockIdx.x * 64 + t] = sum;
}
__global__ void open_not_waited(float *out, const float *in) {
    __shared__ float s[64];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&s[t], &in[t], sizeof(float));
    __pipeline_commit();
    __syncthreads();
    out[blockIdx.x * 64 + t] = s[63 - t];
}
__global__ void open_not_committed(float *out, const float *in) {
    __shared__ float s[64];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&s[t], &in[t], sizeof(float));
    __pipeline_wait_prior(0);
    __syncthreads();
    out[blockIdx.x * 64 + t] = s[63 - t];
}
__global__ void open_own_element_too_early(float *out, const float *in) {
    __shared__ float s[64];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&s[t], &in[t], sizeof(float));
    __pipeline_commit();
    out[blockIdx.x * 64 + t] = s[t];
    __pipeline_wait_prior(0);
}
__global__ void open_waits_for_others_only(float *out, const float *in) {
    __shared__ float s[64];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&s[t], &in[t], sizeof(float));
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    out[blockIdx.x * 64 + t] = s[63 - t];
}
__global__ void open_copies_over_its_copy(float *out, const float *in) {
    __shared__ float s[64];
    int t = threadIdx.x;
    for (int k = 0; k < 4; ++k) __pipeline_memcpy_async(&s[t], &in[k * 64 + t], sizeof(float));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    out[blockIdx.x * 64 + t] = s[63 - t];
}
__global__ void racy_no_barrier(float *out, const float *in) {
    __shared__ float s[64];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&s[t], &in[t], sizeof(float));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    out[blockIdx.x * 64 + t] = s[63 - t];
}
