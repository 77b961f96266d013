// Cooperative groups: thread blocks, tiles of a warp, coalesced threads and the whole grid. A group is who it is made
// of and nothing more; every operation is a barrier, vote or shuffle of the prelude with the group's mask.
#pragma once
#include "lockstep_cuda_prelude.h"

__LOCKSTEP_OPAQUE void __lockstep_grid_sync();
__LOCKSTEP_OPAQUE void __lockstep_arrive(unsigned id, unsigned threads);
__LOCKSTEP_OPAQUE void __lockstep_await(unsigned id);

namespace cooperative_groups {
#define __LOCKSTEP_CG __device__ __forceinline__

namespace details {
__LOCKSTEP_DEVICE unsigned block_size() { return blockDim.x * blockDim.y * blockDim.z; }
__LOCKSTEP_DEVICE unsigned block_rank() { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }
__LOCKSTEP_DEVICE unsigned lane() { return __nvvm_read_ptx_sreg_laneid(); }
// The lanes of a tile of n (a power of two) that holds this thread, cut off at the block's last thread.
__LOCKSTEP_DEVICE unsigned tile_mask(unsigned n) {
  unsigned whole = n >= 32 ? 0xffffffffu : ((1u << n) - 1) << (lane() & ~(n - 1));
  unsigned left = block_size() - (block_rank() & ~31u);
  return left >= 32 ? whole : whole & ((1u << left) - 1);
}
enum kind { block_kind, grid_kind, lanes_kind };
// Shuffles of any type, word by word.
template <class T, class F> __LOCKSTEP_CG T by_words(T v, F word) {
  if constexpr (__is_arithmetic(T) && sizeof(T) >= 4) {
    return word(v);
  } else {
    constexpr unsigned n = (sizeof(T) + 3) / 4;
    unsigned w[n] = {};
    __builtin_memcpy(w, &v, sizeof(T));
    for (unsigned i = 0; i < n; ++i) w[i] = word(w[i]);
    T r = v;
    __builtin_memcpy(&r, w, sizeof(T));
    return r;
  }
}
} // namespace details

// Any group, when its kind is only known at run time.
class thread_group {
public:
  details::kind kind_ = details::lanes_kind;
  unsigned mask_ = 0, size_ = 0, rank_ = 0, parent_rank_ = 0, parent_size_ = 1;
  thread_group() = default;
  __LOCKSTEP_CG thread_group(details::kind k, unsigned mask, unsigned size, unsigned rank) : kind_(k), mask_(mask), size_(size), rank_(rank) {}
  __LOCKSTEP_CG void sync() const {
    if (kind_ == details::block_kind) __syncthreads();
    else if (kind_ == details::grid_kind) __lockstep_grid_sync();
    else __syncwarp(mask_);
  }
  __LOCKSTEP_CG unsigned long long size() const { return size_; }
  __LOCKSTEP_CG unsigned long long num_threads() const { return size_; }
  __LOCKSTEP_CG unsigned long long thread_rank() const { return rank_; }
  __LOCKSTEP_CG bool is_valid() const { return true; }
};

class thread_block {
public:
  static constexpr details::kind kind_ = details::block_kind;
  __LOCKSTEP_CG static void sync() { __syncthreads(); }
  struct arrival_token {};
  // A barrier that no PTX can name.
  static constexpr unsigned split_ = 16;
  __LOCKSTEP_CG static arrival_token barrier_arrive() {
    __lockstep_arrive(split_, details::block_size());
    return {};
  }
  __LOCKSTEP_CG static void barrier_wait(arrival_token) { __lockstep_await(split_); }
  __LOCKSTEP_CG static unsigned size() { return details::block_size(); }
  __LOCKSTEP_CG static unsigned num_threads() { return details::block_size(); }
  __LOCKSTEP_CG static unsigned thread_rank() { return details::block_rank(); }
  __LOCKSTEP_CG static dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  __LOCKSTEP_CG static dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
  __LOCKSTEP_CG static dim3 group_dim() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
  __LOCKSTEP_CG static dim3 dim_threads() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
  __LOCKSTEP_CG static bool is_valid() { return true; }
  __LOCKSTEP_CG operator thread_group() const { return thread_group(kind_, 0, size(), thread_rank()); }
};
__LOCKSTEP_DEVICE thread_block this_thread_block() { return {}; }

class grid_group {
public:
  static constexpr details::kind kind_ = details::grid_kind;
  __LOCKSTEP_CG void sync() const { __lockstep_grid_sync(); }
  __LOCKSTEP_CG bool is_valid() const { return true; }
  __LOCKSTEP_CG static unsigned long long num_blocks() { return (unsigned long long)gridDim.x * gridDim.y * gridDim.z; }
  __LOCKSTEP_CG static unsigned long long block_rank() { return blockIdx.x + (unsigned long long)gridDim.x * (blockIdx.y + (unsigned long long)gridDim.y * blockIdx.z); }
  __LOCKSTEP_CG static unsigned long long size() { return num_blocks() * details::block_size(); }
  __LOCKSTEP_CG static unsigned long long num_threads() { return size(); }
  __LOCKSTEP_CG static unsigned long long thread_rank() { return block_rank() * details::block_size() + details::block_rank(); }
  __LOCKSTEP_CG static dim3 group_dim() { return dim3(gridDim.x, gridDim.y, gridDim.z); }
  __LOCKSTEP_CG static dim3 dim_blocks() { return dim3(gridDim.x, gridDim.y, gridDim.z); }
  __LOCKSTEP_CG static dim3 block_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  __LOCKSTEP_CG operator thread_group() const { return thread_group(kind_, 0, (unsigned)size(), (unsigned)thread_rank()); }
};
__LOCKSTEP_DEVICE grid_group this_grid() { return {}; }

// The threads of one warp that executed coalesced_threads() together, or a part of them.
class coalesced_group {
public:
  static constexpr details::kind kind_ = details::lanes_kind;
  unsigned mask_, meta_rank_ = 0, meta_size_ = 1;
  __LOCKSTEP_CG explicit coalesced_group(unsigned mask) : mask_(mask) {}
  __LOCKSTEP_CG void sync() const { __syncwarp(mask_); }
  __LOCKSTEP_CG unsigned size() const { return __popc(mask_); }
  __LOCKSTEP_CG unsigned num_threads() const { return __popc(mask_); }
  __LOCKSTEP_CG unsigned thread_rank() const { return __popc(mask_ & ((1u << details::lane()) - 1)); }
  __LOCKSTEP_CG unsigned meta_group_rank() const { return meta_rank_; }
  __LOCKSTEP_CG unsigned meta_group_size() const { return meta_size_; }
  __LOCKSTEP_CG bool is_valid() const { return true; }
  __LOCKSTEP_CG int any(int p) const { return __any_sync(mask_, p); }
  __LOCKSTEP_CG int all(int p) const { return __all_sync(mask_, p); }
  __LOCKSTEP_CG unsigned ballot(int p) const { return pack(__ballot_sync(mask_, p)); }
  template <class T> __LOCKSTEP_CG unsigned match_any(T v) const { return pack(__match_any_sync(mask_, v)); }
  template <class T> __LOCKSTEP_CG unsigned match_all(T v, int &p) const { return pack(__match_all_sync(mask_, v, &p)); }
  template <class T> __LOCKSTEP_CG T shfl(T v, int rank) const { return from(v, lane_of(rank)); }
  template <class T> __LOCKSTEP_CG T shfl_up(T v, unsigned d) const {
    int rank = (int)thread_rank() - (int)d;
    return from(v, rank < 0 ? (int)details::lane() : lane_of(rank));
  }
  template <class T> __LOCKSTEP_CG T shfl_down(T v, unsigned d) const {
    unsigned rank = thread_rank() + d;
    return from(v, rank >= size() ? (int)details::lane() : lane_of(rank));
  }
  __LOCKSTEP_CG operator thread_group() const { return thread_group(kind_, mask_, size(), thread_rank()); }

private:
  template <class T> __LOCKSTEP_CG T from(T v, int lane) const {
    return details::by_words(v, [=, m = mask_](auto w) { return __shfl_sync(m, w, lane); });
  }
  __LOCKSTEP_CG int lane_of(unsigned rank) const { return (int)__fns(mask_, 0, (int)rank + 1); }
  // The bits of the members, moved together.
  __LOCKSTEP_CG unsigned pack(unsigned bits) const {
    unsigned r = 0, n = 0;
    for (unsigned lane = 0; lane < 32; ++lane)
      if (mask_ >> lane & 1) r |= (bits >> lane & 1) << n++;
    return r;
  }
};
__LOCKSTEP_DEVICE coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

namespace details {
// A tile of N consecutive threads, N a power of two up to 32.
template <unsigned N> class tile {
  static_assert(N && N <= 32 && (N & (N - 1)) == 0, "a tile has 1, 2, 4, 8, 16 or 32 threads");

public:
  static constexpr kind kind_ = lanes_kind;
  __LOCKSTEP_CG static unsigned mask() { return tile_mask(N); }
  __LOCKSTEP_CG void sync() const { __syncwarp(mask()); }
  __LOCKSTEP_CG static constexpr unsigned size() { return N; }
  __LOCKSTEP_CG static constexpr unsigned num_threads() { return N; }
  __LOCKSTEP_CG static unsigned thread_rank() { return block_rank() & (N - 1); }
  __LOCKSTEP_CG static unsigned meta_group_rank() { return block_rank() / N; }
  __LOCKSTEP_CG static unsigned meta_group_size() { return (block_size() + N - 1) / N; }
  __LOCKSTEP_CG static bool is_valid() { return true; }
  __LOCKSTEP_CG int any(int p) const { return ballot(p) != 0; }
  __LOCKSTEP_CG int all(int p) const { return __all_sync(mask(), p); }
  __LOCKSTEP_CG unsigned ballot(int p) const { return down(__ballot_sync(mask(), p)); }
  template <class T> __LOCKSTEP_CG unsigned match_any(T v) const { return down(__match_any_sync(mask(), v)); }
  template <class T> __LOCKSTEP_CG unsigned match_all(T v, int &p) const { return down(__match_all_sync(mask(), v, &p)); }
  template <class T> __LOCKSTEP_CG T shfl(T v, int rank) const {
    return by_words(v, [=](auto w) { return __shfl_sync(mask(), w, rank, N); });
  }
  template <class T> __LOCKSTEP_CG T shfl_up(T v, unsigned d) const {
    return by_words(v, [=](auto w) { return __shfl_up_sync(mask(), w, d, N); });
  }
  template <class T> __LOCKSTEP_CG T shfl_down(T v, unsigned d) const {
    return by_words(v, [=](auto w) { return __shfl_down_sync(mask(), w, d, N); });
  }
  template <class T> __LOCKSTEP_CG T shfl_xor(T v, unsigned x) const {
    return by_words(v, [=](auto w) { return __shfl_xor_sync(mask(), w, (int)x, N); });
  }
  __LOCKSTEP_CG operator thread_group() const { return thread_group(kind_, mask(), N, thread_rank()); }

private:
  __LOCKSTEP_CG static unsigned down(unsigned bits) { return bits >> (lane() & ~(N - 1)) & (N == 32 ? 0xffffffffu : (1u << N) - 1); }
};
} // namespace details
template <unsigned N, class Parent = void> class thread_block_tile : public details::tile<N> {};
// Without its parent's type a tile can be named by functions that take any of that size.
template <unsigned N> class thread_block_tile<N, void> : public details::tile<N> {
public:
  thread_block_tile() = default;
  template <class P> __LOCKSTEP_CG thread_block_tile(const thread_block_tile<N, P> &) {}
};

template <unsigned N, class G> __LOCKSTEP_CG thread_block_tile<N, G> tiled_partition(const G &) { return {}; }
// The size of this tile is known at run time only.
template <class G> __LOCKSTEP_CG thread_group tiled_partition(const G &g, unsigned n) {
  unsigned rank = (unsigned)g.thread_rank();
  return thread_group(details::lanes_kind, details::tile_mask(n), n, rank & (n - 1));
}
// The members of g for which the label, or the predicate, is the same.
template <class G, class L> __LOCKSTEP_CG coalesced_group labeled_partition(const G &, L label) {
  return coalesced_group(__match_any_sync(__activemask(), label));
}
template <class G> __LOCKSTEP_CG coalesced_group binary_partition(const G &, bool pred) {
  unsigned all = __activemask(), yes = __ballot_sync(all, pred);
  return coalesced_group(pred ? yes : all & ~yes);
}

template <class G> __LOCKSTEP_CG void sync(const G &g) { g.sync(); }
template <class G> __LOCKSTEP_CG void synchronize(const G &g) { g.sync(); }
template <class G> __LOCKSTEP_CG auto thread_rank(const G &g) { return g.thread_rank(); }
template <class G> __LOCKSTEP_CG auto group_size(const G &g) { return g.size(); }
template <class G> __LOCKSTEP_CG bool is_valid(const G &g) { return g.is_valid(); }

// The first member alone runs f; all wait for it.
template <class G, class F> __LOCKSTEP_CG void invoke_one(const G &g, F f) { if (g.thread_rank() == 0) f(); }

} // namespace cooperative_groups
