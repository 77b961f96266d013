// The checker that runs beside a kernel on the device. What a cell of shadow decides, and what it can miss, is told in
// crates/device/src/lib.rs; layouts and numbers here are those of crates/device/src/abi.rs.
//
// It is compiled by clang for the kernel's architecture, without any header, and linked into the kernel before the
// optimiser runs. What is `__attribute__((noinline))` is the rare case.

#define DEVICE __attribute__((device))
#define EVERYWHERE DEVICE __attribute__((always_inline)) static
#define ENTRY extern "C" DEVICE __attribute__((always_inline))
#define SELDOM extern "C" DEVICE __attribute__((noinline))

typedef unsigned u32;
typedef unsigned long long u64;
typedef long long i64;

// What a thread knows of itself: registers, once all is inlined.
struct Thread {
    u32 self;         // number in its block
    u32 block_time;   // barriers of the block that it has passed, from 1 on
    u32 warp_time;    // barriers of its warp that it has passed since
    u32 acquired;     // it may know of others through an atomic operation
    u64 block;        // number in the grid
    u32 *shared;      // its block's cells for shared memory, behind four words of its own
};

// An array that the kernel can reach. Bytes from `low` to `high` around `base` belong to it.
struct Object {
    u64 base;
    i64 low, high;
    u64 cell; // the number of the cell of byte `base`
};

// What the runner sets before the launch.
extern "C" {
__attribute__((constant)) u32 *__lockstep_report;
__attribute__((constant)) u64 *__lockstep_global_cells;
__attribute__((constant)) Object *__lockstep_objects;
__attribute__((constant)) u32 *__lockstep_shared_cells; // null: behind the block's own shared memory
__attribute__((constant)) u32 __lockstep_shared_end;    // bytes of it
}
extern __attribute__((shared)) __attribute__((aligned(16))) char __lockstep_shared[];

enum { READ_ATOMICALLY = 1, READ = 2, UPDATE = 3, READ_AND_UPDATE = 4, WRITE = 5 };
enum { RACE = 0, MAYBE_ORDERED = 1, OUTSIDE = 2, KINDS = 3 };
enum { HEADER = 16, ROW = 12 };
enum { TIMES_LOST = 1, UNKNOWN_MEMORY = 2 };
enum { OWN_WORDS = 4, WARP_TIMES = 63, SHARED_TIMES = 255, GLOBAL_TIMES = 8191 };

// By the kind of what has been done, a bit for each kind that conflicts with it.
EVERYWHERE bool clashes(u32 done, u32 kind) {
    const u64 table = 0x2eull << 40 | 0x2cull << 32 | 0x24ull << 24 | 0x28ull << 16 | 0x20ull << 8;
    return table >> (done * 8 + kind) & 1;
}

// What one thread (or warp, or block) has done in all.
EVERYWHERE u32 joined(u32 done, u32 kind) {
    if (done == 0 || kind == WRITE) return kind;
    if (done == kind || done == WRITE || kind == READ_ATOMICALLY) return done;
    return done == READ_ATOMICALLY ? kind : READ_AND_UPDATE;
}

enum { KEPT, SEVERAL, REPLACED };

// What becomes of a cell where another one does something that does not conflict.
EVERYWHERE u32 beside(u32 done, u32 kind) {
    if (done == kind) return SEVERAL;
    return kind == READ_ATOMICALLY ? KEPT : REPLACED;
}

// The lower 24 bits of a cell: what the threads of one block do between two of its barriers. `level` is set to 1 where
// a thread of the warp conflicts, to 2 where one of another warp does.
EVERYWHERE u32 within_block(u32 old, bool same_time, u32 self, u32 warp_time, u32 kind, u32 *level) {
    u32 lane = self & 31, warp = self >> 5 & 31;
    u32 by_lane = kind | lane << 4 | warp_time << 9;
    u32 fresh = by_lane | kind << 15 | warp << 19;
    if (!same_time) return fresh;
    u32 by_warp = old >> 15 & 7;
    if ((old >> 18 & 1) || (old >> 19 & 31) != warp) {
        if (clashes(by_warp, kind)) {
            *level = 2;
            return fresh;
        }
        u32 how = beside(by_warp, kind);
        return how == KEPT ? old : how == SEVERAL ? old | 1u << 18 : fresh;
    }
    u32 now = (old & ~(7u << 15)) | joined(by_warp, kind) << 15;
    u32 done = old & 7;
    // Behind a barrier of the warp; where these are no longer counted, nothing is said.
    if ((old >> 9 & 63) != warp_time || warp_time == WARP_TIMES) return (now & ~0x7fffu) | by_lane;
    if ((old >> 3 & 1) || (old >> 4 & 31) != lane) {
        if (clashes(done, kind)) {
            *level = 1;
            return fresh;
        }
        u32 how = beside(done, kind);
        return how == KEPT ? now : how == SEVERAL ? now | 1u << 3 : (now & ~0x7fffu) | by_lane;
    }
    return (now & ~7u) | joined(done, kind);
}

EVERYWHERE u32 shared_step(u32 old, u32 self, u32 time, u32 warp_time, u32 kind, u32 *level) {
    return within_block(old & 0xffffff, old >> 24 == time, self, warp_time, kind, level) | time << 24;
}

// `level` is 3 where another block conflicts, 4 where only the scope of an atomic operation is too narrow.
EVERYWHERE u64 global_step(u64 old, u32 self, u32 time, u32 warp_time, u32 block, u32 kind, u32 narrow, u32 *level) {
    u64 own = (u64)kind << 37 | (u64)narrow << 41 | (u64)block << 42;
    u32 done = (u32)(old >> 37) & 7;
    if (done == 0) return own | (u64)time << 24 | within_block(0, false, self, warp_time, kind, level);
    if ((old >> 40 & 1) || (u32)(old >> 42) != block) {
        if (clashes(done, kind)) *level = 3;
        else if (done == UPDATE && kind == UPDATE && (narrow || (old >> 41 & 1))) *level = 4;
        else {
            u32 how = beside(done, kind);
            if (how == KEPT) return old;
            if (how == SEVERAL) return old | 1ull << 40;
        }
        u32 ignored = 0;
        return own | (u64)time << 24 | within_block(0, false, self, warp_time, kind, &ignored);
    }
    bool same_time = ((u32)(old >> 24) & 8191) == time && time != GLOBAL_TIMES;
    u64 upper = (own & ~(7ull << 37)) | (u64)joined(done, kind) << 37 | (old & 1ull << 41);
    return upper | (u64)time << 24 | within_block((u32)old & 0xffffff, same_time, self, warp_time, kind, level);
}

// The first of its kind at this place is written down; all are counted.
SELDOM void __lockstep_tell(u32 self, u64 block, u32 row, u32 object, i64 at, u64 old, u32 how) {
    u32 *to = __lockstep_report + HEADER + row * ROW;
    if (__atomic_fetch_add(to, 1u, __ATOMIC_RELAXED) != 0) return;
    to[1] = self;
    to[2] = (u32)block;
    to[3] = (u32)(block >> 32);
    to[4] = (u32)at;
    to[5] = (u32)((u64)at >> 32);
    to[6] = object;
    to[7] = (u32)old;
    to[8] = (u32)(old >> 32);
    to[9] = how;
    to[10] = 1;
}

SELDOM void __lockstep_note(u32 what) { __atomic_fetch_or(__lockstep_report + 1, what, __ATOMIC_RELAXED); }

SELDOM void __lockstep_shared_change(u32 *cell, u32 self, u64 block, u32 time, u32 warp_time, u32 acquired, u32 at, u32 kind,
                                     u32 site) {
    u32 old = __atomic_load_n(cell, __ATOMIC_RELAXED);
    for (;;) {
        u32 level = 0, now = shared_step(old, self, time, warp_time, kind, &level);
        if (now != old && !__atomic_compare_exchange_n(cell, &old, now, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) continue;
        if (level)
            __lockstep_tell(self, block, site * KINDS + (acquired ? MAYBE_ORDERED : RACE), ~0u, at, old, kind | level << 8);
        return;
    }
}

SELDOM void __lockstep_global_change(u64 *cell, u32 self, u64 block, u32 time, u32 warp_time, u32 acquired, u32 object,
                                     i64 at, u32 kind, u32 narrow, u32 site) {
    u64 old = __atomic_load_n(cell, __ATOMIC_RELAXED);
    for (;;) {
        u32 level = 0;
        u64 now = global_step(old, self, time, warp_time, (u32)block & 0x3fffff, kind, narrow, &level);
        if (now != old && !__atomic_compare_exchange_n(cell, &old, now, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) continue;
        if (level)
            __lockstep_tell(self, block, site * KINDS + (acquired ? MAYBE_ORDERED : RACE), object, at, old, kind | level << 8);
        return;
    }
}

EVERYWHERE u32 threads() {
    return __nvvm_read_ptx_sreg_ntid_x() * __nvvm_read_ptx_sreg_ntid_y() * __nvvm_read_ptx_sreg_ntid_z();
}

// All threads of the block come here. Nothing has been accessed yet, or all that has is behind a barrier.
EVERYWHERE void clear(Thread *t, u32 shift, u32 from) {
    u32 words = OWN_WORDS + ((__lockstep_shared_end + (1u << shift) - 1) >> shift);
    for (u32 i = from + t->self; i < words; i += threads()) t->shared[i] = 0;
    __syncthreads();
}

ENTRY void __lockstep_begin(Thread *t, u32 shift) {
    t->self = __nvvm_read_ptx_sreg_tid_x() +
              __nvvm_read_ptx_sreg_ntid_x() * (__nvvm_read_ptx_sreg_tid_y() + __nvvm_read_ptx_sreg_ntid_y() * __nvvm_read_ptx_sreg_tid_z());
    t->block_time = 1;
    t->warp_time = 0;
    t->acquired = 0;
    t->block = __nvvm_read_ptx_sreg_ctaid_x() +
               (u64)__nvvm_read_ptx_sreg_nctaid_x() *
                   (__nvvm_read_ptx_sreg_ctaid_y() + (u64)__nvvm_read_ptx_sreg_nctaid_y() * __nvvm_read_ptx_sreg_ctaid_z());
    t->shared = 0;
}

// Where accesses to shared memory are looked at, or threads learn of others by atomic operations.
ENTRY void __lockstep_begin_shared(Thread *t, u32 shift) {
    u32 end = (__lockstep_shared_end + 15) & ~15u;
    u32 cells = OWN_WORDS + ((__lockstep_shared_end + (1u << shift) - 1) >> shift);
    t->shared = __lockstep_shared_cells ? __lockstep_shared_cells + t->block * cells : (u32 *)(__lockstep_shared + end);
    clear(t, shift, 0);
}

// The kernel's own pointers, for accesses of which it is not known into what they go.
ENTRY void __lockstep_object(u32 object, void *base) { __lockstep_objects[object].base = (u64)base; }

ENTRY void __lockstep_on_shared(Thread *t, u32 at, u32 low, u32 high, u32 size, u32 kind, u32 site, u32 shift) {
    if (high == 0) high = __lockstep_shared_end;
    if (at < low || at > high || high - at < size) {
        __lockstep_tell(t->self, t->block, site * KINDS + OUTSIDE, ~0u, at, 0, kind);
        return;
    }
    u32 time = t->block_time % SHARED_TIMES + 1;
    for (u32 i = at >> shift; i <= (at + size - 1) >> shift; ++i) {
        u32 *cell = t->shared + OWN_WORDS + i, level = 0;
        u32 old = *(volatile u32 *)cell;
        if (shared_step(old, t->self, time, t->warp_time, kind, &level) != old)
            __lockstep_shared_change(cell, t->self, t->block, time, t->warp_time, t->acquired, i << shift, kind, site);
    }
}

EVERYWHERE void on_object(Thread *t, u32 object, i64 at, u64 size, u32 kind, u32 narrow, u32 site, u32 shift) {
    const Object *o = __lockstep_objects + object;
    if (at < o->low || at > o->high || (u64)(o->high - at) < size) {
        __lockstep_tell(t->self, t->block, site * KINDS + OUTSIDE, object, at, 0, kind);
        return;
    }
    u32 time = t->block_time < GLOBAL_TIMES ? t->block_time : GLOBAL_TIMES;
    for (i64 i = at >> shift; i <= (i64)(at + size - 1) >> shift; ++i) {
        u64 *cell = __lockstep_global_cells + (o->cell + i);
        u32 level = 0;
        u64 old = *(volatile u64 *)cell;
        if (global_step(old, t->self, time, t->warp_time, (u32)t->block & 0x3fffff, kind, narrow, &level) != old)
            __lockstep_global_change(cell, t->self, t->block, time, t->warp_time, t->acquired, object, i << shift, kind, narrow,
                                     site);
    }
}

ENTRY void __lockstep_on_global(Thread *t, char *address, char *base, u32 object, u64 size, u32 kind, u32 narrow, u32 site,
                                u32 shift) {
    if (size) on_object(t, object, (i64)((u64)address - (u64)base), size, kind, narrow, site, shift);
}

// An access of which it is not known into which array it goes.
ENTRY void __lockstep_on_any(Thread *t, char *address, u32 objects, u64 size, u32 kind, u32 narrow, u32 site, u32 shift) {
    if (!size) return;
    for (u32 object = 0; object < objects; ++object) {
        i64 at = (i64)((u64)address - __lockstep_objects[object].base);
        if (at >= __lockstep_objects[object].low && at < __lockstep_objects[object].high) {
            on_object(t, object, at, size, kind, narrow, site, shift);
            return;
        }
    }
    __lockstep_note(UNKNOWN_MEMORY);
}

// The same of a pointer that may go into any kind of memory.
ENTRY void __lockstep_on_generic(Thread *t, char *address, u32 objects, u64 size, u32 kind, u32 narrow, u32 site,
                                 u32 shared_shift, u32 global_shift) {
    if (__nvvm_isspacep_shared(address)) {
        if (size) __lockstep_on_shared(t, (u32)((u64)address - (u64)__lockstep_shared), 0, 0, (u32)size, kind, site, shared_shift);
    } else if (__nvvm_isspacep_global(address)) {
        __lockstep_on_any(t, address, objects, size, kind, narrow, site, global_shift);
    }
}

// Behind a barrier that all threads of the block have reached.
ENTRY void __lockstep_after_block_barrier(Thread *t, u32 shift, u32 has_shared, u32 has_acquired) {
    t->warp_time = 0;
    t->block_time++;
    if (t->block_time == GLOBAL_TIMES) __lockstep_note(TIMES_LOST);
    if (has_acquired) t->acquired |= *(volatile u32 *)t->shared;
    if (has_shared && t->block_time % SHARED_TIMES == 0) clear(t, shift, OWN_WORDS);
}

// What one thread of the block may know by an atomic operation, another may know behind a barrier of the warp.
ENTRY void __lockstep_after_warp_barrier(Thread *t, u32 has_acquired) {
    if (has_acquired) t->acquired |= *(volatile u32 *)t->shared;
    if (t->warp_time < WARP_TIMES) t->warp_time++;
    if (t->warp_time == WARP_TIMES) __lockstep_note(TIMES_LOST);
}

// Behind a barrier of some threads of the warp: later than all of them were.
ENTRY void __lockstep_after_partial_barrier(Thread *t, u32 mask, u32 has_acquired) {
    u32 latest = 0;
    for (u32 left = mask; left; left &= left - 1) {
        u32 theirs = (u32)__nvvm_shfl_sync_idx_i32((int)mask, (int)t->warp_time, __builtin_ctz(left), 0x1f);
        latest = theirs > latest ? theirs : latest;
    }
    t->warp_time = latest;
    __lockstep_after_warp_barrier(t, has_acquired);
}

// Behind an atomic operation by which the thread may know what others have done.
ENTRY void __lockstep_acquired(Thread *t) {
    t->acquired = 1;
    *(volatile u32 *)t->shared = 1;
}
