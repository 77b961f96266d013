// lockstep: search
// Each block fills the part that its struct names; structs of nothing but zeros name one part for all.
struct Part { int begin; int kind; float weight[6]; };
__global__ void fill(const Part *parts, float *out) {
    __shared__ Part part;
    if (threadIdx.x == 0) part = parts[blockIdx.x];
    __syncthreads();
    out[part.begin + threadIdx.x] = part.weight[1]; //~ data-race warning
}
