// A barrier of the grid made of a counter, for whole blocks: the fence of one thread orders what all threads of its block do.
// lockstep[right]: check --only data-race,missing-fence -DRELEASE=__threadfence() -DACQUIRE=__threadfence()
// lockstep[unreleased]: check --only data-race,missing-fence -DRELEASE= -DACQUIRE=__threadfence()
// lockstep[unacquired]: check --only data-race,missing-fence -DRELEASE=__threadfence() -DACQUIRE=
__device__ int arrived;

__device__ void wait_for_all() {
    __syncthreads();
    if (threadIdx.x == 0) {
        RELEASE;
        atomicAdd(&arrived, 1);
        while (atomicAdd(&arrived, 0) < (int)gridDim.x) {
        }
        ACQUIRE;
    }
    __syncthreads();
}

__global__ void shift(int *a, int *b) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
    a[i] = i; //~[unreleased,unacquired] missing-fence
    wait_for_all();
    b[i] = a[(i + blockDim.x) % n]; //~[unreleased,unacquired] missing-fence
}
