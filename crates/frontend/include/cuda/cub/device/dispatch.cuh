// CUB: algorithms of the whole device. Each is a kernel of one block, whose threads take a part of the items each.
#pragma once
#pragma GCC system_header
#include "../block/block_reduce.cuh"
#include "../block/block_scan.cuh"
#include "../iterator/iterators.cuh"

namespace cub {
enum { __lockstep_threads = 256 };
template <class I> using __lockstep_value = typename std::remove_cv<typename std::iterator_traits<I>::value_type>::type;

// Whether the caller only asks how much storage is wanted.
static inline bool __lockstep_asks(void *storage, size_t &bytes, size_t wanted) {
  if (!storage) bytes = wanted ? wanted : 1;
  return !storage;
}
// Kernels of ours are not the user's: where a source is only checked, nothing is launched.
#ifdef __LOCKSTEP_PROGRAM__
#define __LOCKSTEP_CUB_LAUNCH(kernel, blocks, stream, ...) kernel<<<blocks, __lockstep_threads, 0, stream>>>(__VA_ARGS__)
struct __lockstep_part {
  long long from, to;
  __LOCKSTEP_CUB __lockstep_part(long long n) {
    long long each = (n + blockDim.x - 1) / blockDim.x;
    from = threadIdx.x * each < n ? threadIdx.x * each : n;
    to = from + each < n ? from + each : n;
  }
};

// Each block has the items between two of `begins` and `ends`.
template <class T, class I, class O, class B, class E, class Op> __global__ void __lockstep_reduce(I in, O out, B begins, E ends, Op op, T first) {
  using Reduce = BlockReduce<T, __lockstep_threads>;
  __shared__ typename Reduce::TempStorage storage;
  long long begin = begins[blockIdx.x], n = (long long)ends[blockIdx.x] - begin;
  __lockstep_part part(n < 0 ? 0 : n);
  T sum = first;
  if (part.from < part.to) {
    sum = (T)in[begin + part.from];
    for (long long i = part.from + 1; i < part.to; ++i) sum = op(sum, (T)in[begin + i]);
  }
  long long each = (n + blockDim.x - 1) / blockDim.x;
  int busy = n <= 0 ? 0 : (int)((n + each - 1) / each);
  sum = Reduce(storage).Reduce(sum, op, busy);
  if (threadIdx.x == 0) out[blockIdx.x] = busy ? op(first, sum) : first;
}
template <bool INCLUSIVE, bool HAS_FIRST, class T, class I, class O, class Op>
__global__ void __lockstep_scan(I in, O out, long long n, Op op, T first) {
  using Scan = BlockScan<T, __lockstep_threads>;
  __shared__ typename Scan::TempStorage storage;
  __lockstep_part part(n);
  T sum = first, before;
  bool has = part.from < part.to;
  if (has) {
    sum = (T)in[part.from];
    for (long long i = part.from + 1; i < part.to; ++i) sum = op(sum, (T)in[i]);
  }
  Scan(storage).ExclusiveScan(sum, before, op);
  if (!has) return;
  bool known = threadIdx.x > 0;
  if (HAS_FIRST) before = known ? op(first, before) : first, known = true;
  for (long long i = part.from; i < part.to; ++i) {
    T own = (T)in[i], next = known ? op(before, own) : own;
    out[i] = INCLUSIVE ? next : before;
    before = next, known = true;
  }
}
// Items for which a flag is set, in their order; with `rest`, the others from the end.
template <class I, class F, class O, class N> __global__ void __lockstep_select(I in, F flags, O out, N count, long long n, bool rest) {
  using Scan = BlockScan<long long, __lockstep_threads>;
  __shared__ typename Scan::TempStorage storage;
  __lockstep_part part(n);
  long long own = 0, before, all;
  for (long long i = part.from; i < part.to; ++i) own += flags[i] ? 1 : 0;
  Scan(storage).ExclusiveSum(own, before, all);
  for (long long i = part.from; i < part.to; ++i) {
    if (flags[i]) out[before++] = in[i];
    else if (rest) out[n - 1 - (i - before)] = in[i];
  }
  if (threadIdx.x == 0) *count = all;
}
template <class K> __LOCKSTEP_CUB unsigned __lockstep_digit(const K &key, int bit, int end, bool down) {
  typename Traits<K>::UnsignedBits bits;
  __builtin_memcpy(&bits, &key, sizeof(K));
  bits = Traits<K>::TwiddleIn(bits);
  unsigned digit = (unsigned)(bits >> bit) & (end - bit >= 4 ? 15u : (1u << (end - bit)) - 1);
  return down ? 15 - digit : digit;
}
// One digit of four bits: items go where fewer, and earlier equal ones, leave them.
template <class K, class V> __global__ void __lockstep_sort(const K *keys, const V *values, K *to_keys, V *to_values, long long n, int bit, int end, bool down, bool has_values) {
  using Scan = BlockScan<long long, __lockstep_threads>;
  __shared__ typename Scan::TempStorage storage;
  __lockstep_part part(n);
  long long count[16], base = 0;
  for (int d = 0; d < 16; ++d) count[d] = 0;
  for (long long i = part.from; i < part.to; ++i) ++count[__lockstep_digit(keys[i], bit, end, down)];
  for (int d = 0; d < 16; ++d) {
    long long before, all;
    Scan(storage).ExclusiveSum(count[d], before, all);
    __syncthreads();
    count[d] = base + before;
    base += all;
  }
  for (long long i = part.from; i < part.to; ++i) {
    long long at = count[__lockstep_digit(keys[i], bit, end, down)]++;
    to_keys[at] = keys[i];
    if (has_values) to_values[at] = values[i];
  }
}
#else
#define __LOCKSTEP_CUB_LAUNCH(kernel, ...) (void)0
#endif
} // namespace cub
