// lockstep: search
// A struct of nothing but zeros is a part without elements: then the first element is never written.
struct Part { int begin; int count; float weight[6]; };
__global__ void first(const Part *parts, const float *in, float *out) {
    __shared__ Part part;
    __shared__ float data[256];
    __shared__ float own[1024];
    if (threadIdx.x == 0) part = parts[blockIdx.x];
    own[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    for (int i = threadIdx.x; i < part.count && i < 256; i += blockDim.x) data[i] = in[i];
    __syncthreads();
    float other = own[(threadIdx.x + 1) % blockDim.x];
    out[blockIdx.x * blockDim.x + threadIdx.x] = data[0] + other; //~ uninitialised-read warning
}
