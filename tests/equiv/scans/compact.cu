// Where an element goes depends on all before it.
//
// reference: scans.c:compact
// launch: --block 6 --grid 1 --arg n=6 --arg x=i32[6]:symbolic --arg out=i32[6] --arg kept=i32[1]
// expect[compact]: equivalent
// expect[compact_from_one]: mismatch
__global__ void compact(int *out, int *kept, const int *x) {
  unsigned votes = __ballot_sync(0x3f, x[threadIdx.x] > 0);
  if (x[threadIdx.x] > 0)
    out[__popc(votes & ((1u << threadIdx.x) - 1))] = x[threadIdx.x];
  if (threadIdx.x == 0)
    *kept = __popc(votes);
}

// Counts itself; the first place stays empty.
__global__ void compact_from_one(int *out, int *kept, const int *x) {
  unsigned votes = __ballot_sync(0x3f, x[threadIdx.x] > 0);
  int at = __popc(votes & ((2u << threadIdx.x) - 1));
  if (x[threadIdx.x] > 0 && at < 6)
    out[at] = x[threadIdx.x];
  if (threadIdx.x == 0)
    *kept = __popc(votes);
}
