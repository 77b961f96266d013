// Nobody can have changed it: its elements are what the initialiser says.
static __device__ int place[4] = {0, 2, 4, 6};

__global__ void scatter(int *out) {
    if (threadIdx.x < 4) out[blockIdx.x * 8 + place[threadIdx.x]] = threadIdx.x;
}
