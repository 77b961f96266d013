// lockstep: search --only uninitialised-read
// A block for each part, whose first element is the pivot, as in empty_parts.cu: lengths and bounds stand in arrays.
__global__ void below_first(const int *in, int *out, const int *count) {
    __shared__ int s[1024];
    int n = min(count[blockIdx.x], 1024);
    for (int i = threadIdx.x; i < n; i += blockDim.x) s[i] = in[blockIdx.x * 1024 + i];
    __syncthreads();
    int pivot = s[0]; //~ uninitialised-read warning
    if (pivot < 0) return;
    for (int i = threadIdx.x; i < n; i += blockDim.x) out[blockIdx.x * 1024 + i] = s[i] < pivot;
}

// The element behind the last is read, however many there are.
__global__ void below_last(const int *in, int *out, const int *count) {
    __shared__ int s[1024];
    int n = min(count[blockIdx.x], 1023);
    for (int i = threadIdx.x; i < n; i += blockDim.x) s[i] = in[blockIdx.x * 1024 + i];
    __syncthreads();
    int pivot = s[max(n, 0)]; //~ uninitialised-read
    if (pivot < 0) return;
    for (int i = threadIdx.x; i < n; i += blockDim.x) out[blockIdx.x * 1024 + i] = s[i] < pivot;
}

__global__ void between(const int *in, int *out, const int *begin, const int *end) {
    __shared__ int s[1024];
    int first = begin[blockIdx.x];
    int n = min(end[blockIdx.x] - first, 1024);
    for (int i = threadIdx.x; i < n; i += blockDim.x) s[i] = in[first + i];
    __syncthreads();
    int pivot = s[0]; //~ uninitialised-read warning
    if (pivot < 0) return;
    for (int i = threadIdx.x; i < n; i += blockDim.x) out[blockIdx.x * 1024 + i] = s[i] < pivot;
}

// Parts of one element have no second.
__global__ void second(const int *in, int *out, const int *begin, const int *end) {
    __shared__ int s[1024];
    int first = begin[blockIdx.x];
    int n = min(end[blockIdx.x] - first, 1024);
    for (int i = threadIdx.x; i < n; i += blockDim.x) s[i] = in[first + i];
    __syncthreads();
    int pivot = s[1]; //~ uninitialised-read
    if (pivot < 0) return;
    for (int i = threadIdx.x; i < n; i += blockDim.x) out[blockIdx.x * 1024 + i] = s[i] < pivot;
}
