// Copies by a whole group: each member copies its share, at some time before it has waited for it. wait() is the
// group's barrier too.
#pragma once
#include "../cooperative_groups.h"

namespace cooperative_groups {
template <class G, class T> __LOCKSTEP_CG void memcpy_async(const G &g, T *to, const T *from, size_t bytes) {
  for (size_t i = g.thread_rank(); i < bytes / sizeof(T); i += g.size()) __lockstep_async_copy(to + i, from + i, sizeof(T));
  __lockstep_async_commit();
}
template <class G> __LOCKSTEP_CG void memcpy_async(const G &g, void *to, const void *from, size_t bytes) {
  for (size_t i = g.thread_rank(); i < bytes; i += g.size()) __lockstep_async_copy((char *)to + i, (const char *)from + i, 1);
  __lockstep_async_commit();
}
template <class G, class T> __LOCKSTEP_CG void memcpy_async(const G &g, T *to, size_t n, const T *from, size_t m) {
  for (size_t i = g.thread_rank(); i < (n < m ? n : m); i += g.size()) __lockstep_async_copy(to + i, from + i, sizeof(T));
  __lockstep_async_commit();
}
template <class G> __LOCKSTEP_CG void wait(const G &g) {
  __lockstep_async_wait(0);
  g.sync();
}
template <unsigned N, class G> __LOCKSTEP_CG void wait_prior(const G &g) {
  __lockstep_async_wait(N);
  g.sync();
}
} // namespace cooperative_groups
