// Blocks of 32 threads and more: in the small launches that are explored, a part of the tile is never written. It is only added up.
// lockstep[right]: check --only missing-fence -DACQUIRE=__threadfence()
// lockstep[unacquired]: check --only missing-fence -DACQUIRE=
__device__ unsigned finished;

__global__ void sum(const float *in, float *partial, float *out) {
    __shared__ float tile[32];
    if (threadIdx.x < 32) tile[threadIdx.x] = in[blockIdx.x * 32 + threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) {
        float x = 0;
        for (int i = 0; i < 32; ++i) x += tile[i];
        partial[blockIdx.x] = x; //~[unacquired] missing-fence
        __threadfence();
        if (atomicAdd(&finished, 1u) == gridDim.x - 1) {
            ACQUIRE;
            x = 0;
            for (unsigned i = 0; i < gridDim.x; ++i) x += partial[i]; //~[unacquired] missing-fence
            *out = x;
        }
    }
}
