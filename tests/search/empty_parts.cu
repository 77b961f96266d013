// lockstep: check --only uninitialised-read
// A block for each part, whose first element is the pivot. No part is empty, as nobody would give one to sort.
struct Part { int begin, end; float weight; };

__global__ void below_first(const int *in, int *out, const Part *parts) {
    __shared__ int s[1024];
    Part part = parts[blockIdx.x];
    int n = min(part.end - part.begin, 1024);
    for (int i = threadIdx.x; i < n; i += blockDim.x) s[i] = in[part.begin + i];
    __syncthreads();
    int pivot = s[0]; //~ uninitialised-read warning
    if (pivot < 0) return;
    for (int i = threadIdx.x; i < n; i += blockDim.x) out[part.begin + i] = s[i] < pivot;
}

// The pivot is read beyond the last element, however many there are.
__global__ void below_last(const int *in, int *out, const Part *parts) {
    __shared__ int s[1024];
    Part part = parts[blockIdx.x];
    int n = min(part.end - part.begin, 1023);
    for (int i = threadIdx.x; i < n; i += blockDim.x) s[i] = in[part.begin + i];
    __syncthreads();
    int pivot = s[max(n, 0)]; //~ uninitialised-read
    for (int i = threadIdx.x; i < n; i += blockDim.x) out[part.begin + i] = s[i] < pivot;
}
