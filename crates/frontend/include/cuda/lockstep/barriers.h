// Block barriers and memory fences. (__syncthreads itself is a builtin of clang.)
#pragma once

__LOCKSTEP_DEVICE int __syncthreads_count(int p) { return __nvvm_bar0_popc(p); }
__LOCKSTEP_DEVICE int __syncthreads_and(int p) { return __nvvm_bar0_and(p); }
__LOCKSTEP_DEVICE int __syncthreads_or(int p) { return __nvvm_bar0_or(p); }
__LOCKSTEP_DEVICE void __barrier_sync(unsigned id) { __nvvm_barrier_sync(id); }
__LOCKSTEP_DEVICE void __barrier_sync_count(unsigned id, unsigned n) { __nvvm_barrier_sync_cnt(id, n); }
__LOCKSTEP_DEVICE void __syncwarp(unsigned mask = 0xffffffffu) { __nvvm_bar_warp_sync(mask); }

__LOCKSTEP_DEVICE void __threadfence_block() { __nvvm_membar_cta(); }
__LOCKSTEP_DEVICE void __threadfence() { __nvvm_membar_gl(); }
__LOCKSTEP_DEVICE void __threadfence_system() { __nvvm_membar_sys(); }
