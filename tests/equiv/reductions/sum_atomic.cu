// Several blocks, in any order.
//
// reference: reductions.c:sum
// launch: --block 8 --grid 3 --arg n=21 --arg x=i32[21]:symbolic --arg out=i32[1]:zeros
// expect[sum]: equivalent
// expect[sum_of_blocks]: equivalent
// expect[sum_first_of_block]: mismatch
// expect[sum_plain]: data-race
__global__ void sum(int *out, const int *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(out, x[i]);
}

__global__ void sum_of_blocks(int *out, const int *x, int n) {
  __shared__ int s;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x == 0)
    s = 0;
  __syncthreads();
  if (i < n)
    atomicAdd(&s, x[i]);
  __syncthreads();
  if (threadIdx.x == 0)
    atomicAdd(out, s);
}

// The last block is not full: its first threads have no elements behind them.
__global__ void sum_first_of_block(int *out, const int *x, int n) {
  __shared__ int s;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x == 0)
    s = 0;
  __syncthreads();
  if (i < n / blockDim.x * blockDim.x)
    atomicAdd(&s, x[i]);
  __syncthreads();
  if (threadIdx.x == 0)
    atomicAdd(out, s);
}

__global__ void sum_plain(int *out, const int *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    *out += x[i];
}
