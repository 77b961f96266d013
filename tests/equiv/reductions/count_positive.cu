// reference: reductions.c:count_positive
// launch: --block 32 --grid 1 --arg n=32 --arg x=f32[32]:symbolic --arg out=i32[1]
// expect[by_vote]: equivalent
// expect[by_barrier]: equivalent
// expect[by_vote_or_zero]: mismatch
__global__ void by_vote(int *out, const float *x) {
  unsigned votes = __ballot_sync(~0u, x[threadIdx.x] > 0);
  if (threadIdx.x == 0)
    *out = __popc(votes);
}

__global__ void by_barrier(int *out, const float *x) {
  int count = __syncthreads_count(x[threadIdx.x] > 0);
  if (threadIdx.x == 0)
    *out = count;
}

__global__ void by_vote_or_zero(int *out, const float *x) {
  unsigned votes = __ballot_sync(~0u, x[threadIdx.x] >= 0);
  if (threadIdx.x == 0)
    *out = __popc(votes);
}
