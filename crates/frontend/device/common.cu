// The checker that runs beside a kernel on the device. What a cell of shadow decides, and what it can miss, is told in
// crates/device/src/lib.rs; layouts and numbers here are those of crates/device/src/abi.rs.
//
// This is what all schemes have in common; flag.cu or statement.cu comes behind it. They are compiled by clang as one, for the
// kernel's architecture, without any header, and linked into the kernel before the optimiser runs. What is
// `__attribute__((noinline))` is the rare case.

#define DEVICE __attribute__((device))
#define EVERYWHERE DEVICE __attribute__((always_inline)) static
#define ENTRY extern "C" DEVICE __attribute__((always_inline))
#define SELDOM extern "C" DEVICE __attribute__((noinline))

typedef unsigned u32;
typedef unsigned long long u64;
typedef long long i64;

// A word that the checker keeps for a block: where it is known to lie in shared memory (`INSIDE`), the instructions for that
// memory are used.
#ifdef INSIDE
typedef __attribute__((address_space(3))) u32 Word;
#else
typedef u32 Word;
#endif

// What a thread knows of itself: registers, once all is inlined. Its number and that of its block are read again where they are
// needed, which is seldom.
struct Thread {
    u32 block_time; // barriers of the block that it has passed, from 1 on
    u32 warp_time;  // barriers of its warp that it has passed since
    u32 acquired;   // it may know of others through an atomic operation
    u32 tag;        // what its scheme makes of these
    Word *shared;   // its block's cells for shared memory, behind four words of its own
};

static_assert(sizeof(Thread) <= 48, "what crates/frontend/src/instrument/accesses.rs gives it");

// An array that the kernel can reach: `size` bytes from `low` on, counted from the kernel's pointer.
struct Object {
    i64 low;
    u64 size;
    u64 cell; // the number of the cell of the byte that the pointer points to
};

enum { MOST_OBJECTS = 64 };

// What the runner sets before the launch.
extern "C" {
__attribute__((constant)) u32 *__lockstep_report;
__attribute__((constant)) u32 *__lockstep_marks;        // two bits for each cell of global memory; null: nobody asks
__attribute__((constant)) u32 *__lockstep_shared_marks; // two bits for each piece of shared memory, of whatever block
__attribute__((constant)) u64 *__lockstep_global_cells;
__attribute__((constant)) Object __lockstep_objects[MOST_OBJECTS];
__attribute__((constant)) const Object *__lockstep_table; // the same, for accesses of which the array is not known before
__attribute__((constant)) u64 *__lockstep_bases; // of each array the pointer, which the device writes where it needs it
__attribute__((constant)) u32 *__lockstep_shared_cells; // null: behind the block's own shared memory
__attribute__((constant)) u32 __lockstep_shared_end;    // bytes of it
}
extern __attribute__((shared)) __attribute__((aligned(16))) char __lockstep_shared[];

enum { BOUNDS = 0, TOGETHER = 6, READ_ATOMICALLY = 1, READ = 2, UPDATE = 3, READ_AND_UPDATE = 4, WRITE = 5 };
enum { FOR_BLOCK = 8 }; // beside these: a few threads record it for all
enum { RACE = 0, MAYBE_ORDERED = 1, OUTSIDE = 2, KINDS = 3 };
enum { MARKED = 1, FOLLOWED = 2 };
enum { HEADER = 16, ROW = 12 };
enum { TIMES_LOST = 1, UNKNOWN_MEMORY = 2 };
enum { OWN_WORDS = 4 };

EVERYWHERE u32 own_number() {
    return __nvvm_read_ptx_sreg_tid_x() +
           __nvvm_read_ptx_sreg_ntid_x() * (__nvvm_read_ptx_sreg_tid_y() + __nvvm_read_ptx_sreg_ntid_y() * __nvvm_read_ptx_sreg_tid_z());
}

EVERYWHERE u64 own_block() {
    return __nvvm_read_ptx_sreg_ctaid_x() +
           (u64)__nvvm_read_ptx_sreg_nctaid_x() *
               (__nvvm_read_ptx_sreg_ctaid_y() + (u64)__nvvm_read_ptx_sreg_nctaid_y() * __nvvm_read_ptx_sreg_ctaid_z());
}

// The first of its kind at this place is written down; all are counted. Returns how many there were before.
SELDOM u32 __lockstep_tell(u32 row, u32 object, i64 at, u64 old, u32 how) {
    u32 *to = __lockstep_report + HEADER + row * ROW;
    u32 before = __atomic_fetch_add(to, 1u, __ATOMIC_RELAXED);
    if (before != 0) return before;
    u64 block = own_block();
    to[1] = own_number();
    to[2] = (u32)block;
    to[3] = (u32)(block >> 32);
    to[4] = (u32)at;
    to[5] = (u32)((u64)at >> 32);
    to[6] = object;
    to[7] = (u32)old;
    to[8] = (u32)(old >> 32);
    to[9] = how;
    to[10] = 1;
    return 0;
}

SELDOM void __lockstep_note(u32 what) { __atomic_fetch_or(__lockstep_report + 1, what, __ATOMIC_RELAXED); }


// What a scheme has: how many words for a block's shared memory, what it does with an access of one piece, and behind barriers.
EVERYWHERE u32 shared_words(u32 shift);
EVERYWHERE void on_shared_piece(Thread *t, u32 piece, u32 kind, u32 narrow, u32 site, u32 shift);
EVERYWHERE void on_global_piece(Thread *t, u32 object, u64 cell, i64 piece, u32 kind, u32 narrow, u32 site, u32 shift);
EVERYWHERE void after_block_barrier(Thread *t, u32 shift, u32 has_shared);
EVERYWHERE void after_warp_barrier(Thread *t);
EVERYWHERE void begin(Thread *t);
EVERYWHERE u32 seen_as(u32 kind);
EVERYWHERE bool stands_for_block(Thread *t);

EVERYWHERE u32 threads() {
    return __nvvm_read_ptx_sreg_ntid_x() * __nvvm_read_ptx_sreg_ntid_y() * __nvvm_read_ptx_sreg_ntid_z();
}

// All threads of the block come here. Nothing has been accessed yet, or all that has is behind a barrier.
EVERYWHERE void clear(Thread *t, u32 shift, u32 from) {
    for (u32 i = from + own_number(); i < shared_words(shift); i += threads()) t->shared[i] = 0;
    __syncthreads();
}

ENTRY void __lockstep_begin(Thread *t, u32 shift) {
    t->block_time = 1;
    t->warp_time = 0;
    t->acquired = 0;
    t->shared = 0;
    begin(t);
}

// Where accesses to shared memory are looked at, or threads learn of others by atomic operations.
ENTRY void __lockstep_begin_shared(Thread *t, u32 shift) {
    u32 end = (__lockstep_shared_end + 15) & ~15u;
#ifdef INSIDE
    t->shared = (Word *)(__lockstep_shared + end);
#else
    t->shared = __lockstep_shared_cells ? __lockstep_shared_cells + own_block() * shared_words(shift) : (u32 *)(__lockstep_shared + end);
#endif
    clear(t, shift, 0);
}

// The kernel's own pointers, for accesses of which it is not known into what they go.
ENTRY void __lockstep_object(u32 object, void *base) { __lockstep_bases[object] = (u64)base; }

// What is looked at of an access; TOGETHER: nothing. `once` says whether it was recorded since the loops began in which it is
// recorded once; null: each time it is made. Of an access of all threads, the first two threads of the first two warps
// tell: who conflicts with some thread conflicts with one of these.
EVERYWHERE u32 looked_at(Thread *t, u32 *once, u32 kind) {
    bool for_block = (kind & FOR_BLOCK) != 0;
    kind = seen_as(kind & 7);
    if (kind == TOGETHER || (for_block && !stands_for_block(t))) return TOGETHER;
    if (once) {
        if (*once) return TOGETHER;
        *once = 1;
    }
    return kind;
}

ENTRY void __lockstep_on_shared(Thread *t, u32 *once, u32 at, u32 low, u32 high, u32 size, u32 kind, u32 site, u32 shift) {
    kind = looked_at(t, once, kind);
    if (kind == TOGETHER) return;
    if (high == 0) high = __lockstep_shared_end;
    if (at - low > high - low - size || high - low < size) {
        __lockstep_tell(site * KINDS + OUTSIDE, ~0u, at, 0, kind);
        return;
    }
    if (kind == BOUNDS) return;
    // Every access begins where a piece does, and takes whole ones.
    for (u32 i = 0; i < size >> shift; ++i) on_shared_piece(t, (at >> shift) + i, kind, 0, site, shift);
}

EVERYWHERE void on_object(Thread *t, u32 *once, const Object *o, u32 object, i64 at, u64 size, u32 kind, u32 narrow, u32 site,
                          u32 shift) {
    kind = looked_at(t, once, kind);
    if (kind == TOGETHER) return;
    if ((u64)(at - o->low) > o->size - size || o->size < size) {
        __lockstep_tell(site * KINDS + OUTSIDE, object, at, 0, kind);
        return;
    }
    if (kind == BOUNDS) return;
    for (u64 i = 0; i < size >> shift; ++i)
        on_global_piece(t, object, o->cell + (at >> shift) + i, (at >> shift) + (i64)i, kind, narrow, site, shift);
}

ENTRY void __lockstep_on_global(Thread *t, u32 *once, char *address, char *base, u32 object, u64 size, u32 kind, u32 narrow,
                                u32 site, u32 shift) {
    i64 at = (i64)((u64)address - (u64)base);
    if (size) on_object(t, once, __lockstep_objects + object, object, at, size, kind, narrow, site, shift);
}

// An access of which it is not known into which array it goes.
ENTRY void __lockstep_on_any(Thread *t, u32 *once, char *address, u32 objects, u64 size, u32 kind, u32 narrow, u32 site,
                             u32 shift) {
    if (!size) return;
    for (u32 object = 0; object < objects; ++object) {
        i64 at = (i64)((u64)address - __lockstep_bases[object]);
        const Object *o = __lockstep_table + object;
        if ((u64)(at - o->low) < o->size) {
            on_object(t, once, o, object, at, size, kind, narrow, site, shift);
            return;
        }
    }
    __lockstep_note(UNKNOWN_MEMORY);
}

// The same of a pointer that may go into any kind of memory.
ENTRY void __lockstep_on_generic(Thread *t, u32 *once, char *address, u32 objects, u64 size, u32 kind, u32 narrow, u32 site,
                                 u32 shared_shift, u32 global_shift) {
    if (__nvvm_isspacep_shared(address)) {
        u32 at = (u32)((u64)address - (u64)__lockstep_shared);
        if (size) __lockstep_on_shared(t, once, at, 0, 0, (u32)size, kind, site, shared_shift);
    } else if (__nvvm_isspacep_global(address)) {
        __lockstep_on_any(t, once, address, objects, size, kind, narrow, site, global_shift);
    }
}

// Behind a barrier that all threads of the block have reached.
ENTRY void __lockstep_after_block_barrier(Thread *t, u32 shift, u32 has_shared, u32 has_acquired) {
    t->warp_time = 0;
    t->block_time++;
    if (has_acquired) t->acquired |= *(volatile Word *)t->shared;
    after_block_barrier(t, shift, has_shared);
}

// What one thread of the block may know by an atomic operation, another may know behind a barrier of the warp.
ENTRY void __lockstep_after_warp_barrier(Thread *t, u32 has_acquired) {
    if (has_acquired) t->acquired |= *(volatile Word *)t->shared;
    after_warp_barrier(t);
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
    *(volatile Word *)t->shared = 1;
}
