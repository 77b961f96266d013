// A matrix times a vector, rows in another order: each thread adds up its row at a place of shared memory that an array names.
// launch[small]: --block 32 --grid 2 --arg 'a=f32[1024]:random' --arg 'x=f32[16]:random' --arg 'place=u32[32]:iota' --arg 'y=f32[64]' --arg n=16
// launch[large]: --block 256 --grid 2112 --arg 'a=f32[276824064]:random' --arg 'x=f32[512]:random' --arg 'place=u32[256]:iota' --arg 'y=f32[540672]' --arg n=512
__global__ void matvec(const float *a, const float *x, const unsigned *place, float *y, int n) {
    __shared__ float sum[256], part[256];
    int t = threadIdx.x, row = blockIdx.x * blockDim.x + t, rows = gridDim.x * blockDim.x;
    unsigned to = place[t] % 256;
    sum[to] = 0;
    for (int first = 0; first < n; first += blockDim.x) {
        __syncthreads();
        part[to] = first + t < n ? x[first + t] : 0;
        __syncthreads();
        for (int k = 0; k < blockDim.x && first + k < n; ++k) sum[to] += a[(long long)(first + k) * rows + row] * part[k];
    }
    __syncthreads();
    y[row] = sum[t];
}
