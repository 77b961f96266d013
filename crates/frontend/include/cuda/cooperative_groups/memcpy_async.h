// Copies by a whole group. They are done at once, each member copying its share; wait() is the group's barrier.
#pragma once
#include "../cooperative_groups.h"

namespace cooperative_groups {
template <class G, class T> __LOCKSTEP_CG void memcpy_async(const G &g, T *to, const T *from, size_t bytes) {
  for (size_t i = g.thread_rank(); i < bytes / sizeof(T); i += g.size()) to[i] = from[i];
}
template <class G> __LOCKSTEP_CG void memcpy_async(const G &g, void *to, const void *from, size_t bytes) {
  for (size_t i = g.thread_rank(); i < bytes; i += g.size()) ((char *)to)[i] = ((const char *)from)[i];
}
template <class G, class T> __LOCKSTEP_CG void memcpy_async(const G &g, T *to, size_t n, const T *from, size_t m) {
  for (size_t i = g.thread_rank(); i < (n < m ? n : m); i += g.size()) to[i] = from[i];
}
template <class G> __LOCKSTEP_CG void wait(const G &g) { g.sync(); }
template <unsigned N, class G> __LOCKSTEP_CG void wait_prior(const G &g) { g.sync(); }
} // namespace cooperative_groups
