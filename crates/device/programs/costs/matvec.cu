// A matrix times a vector, in two buffers by turns: an array names the place at which each thread adds up its row.
// launch[small]: --block 32 --grid 2 --arg 'a=f32[4096]:random' --arg 'x=f32[64]:random' --arg 'place=u32[32]:iota' --arg 'y=f32[64]' --arg n=64
// launch[large]: --block 256 --grid 2112 --arg 'a=f32[276824064]:random' --arg 'x=f32[512]:random' --arg 'place=u32[256]:iota' --arg 'y=f32[540672]' --arg n=512
__global__ void matvec(const float *a, const float *x, const unsigned *place, float *y, int n) {
    __shared__ float sum[256], part[512];
    int t = threadIdx.x, tile = blockDim.x, row = blockIdx.x * tile + t, rows = gridDim.x * tile;
    unsigned to = place[t];
    sum[to] = 0;
    part[to] = x[t];
    for (int first = 0; first < n; first += tile) {
        int now = first / tile % 2 * tile, next = tile - now;
        __syncthreads();
        if (first + tile < n) part[next + to] = x[first + tile + t];
        for (int k = 0; k < tile; ++k) sum[to] += a[(long long)(first + k) * rows + row] * part[now + k];
    }
    __syncthreads();
    y[row] = sum[t];
}
