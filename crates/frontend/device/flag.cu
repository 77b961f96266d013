// The scheme `flag`: a cell for each piece of memory says what was done there and by whom. It is read at each access, and
// changed where it says less than it should.

enum { WARP_TIMES = 63, SHARED_TIMES = 255, GLOBAL_TIMES = 8191 };
// Conflicts of an access whose pieces the scheme `statement` follows.
enum { MOST_FOLLOWED = 16 };

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

// Where someone asks for them, pieces of conflicts are marked.
EVERYWHERE void mark(u32 *marks, u64 piece, u32 before) {
    if (!marks) return;
    u32 bits = MARKED | (before < MOST_FOLLOWED ? FOLLOWED : 0u);
    __atomic_fetch_or(marks + (piece >> 4), bits << (u32)(piece & 15) * 2, __ATOMIC_RELAXED);
}

// What else an access is, in one word: the slow functions take few arguments, since each of them costs registers where
// nothing is slow.
EVERYWHERE u32 packed(u32 kind, u32 narrow, bool several, u32 acquired, u32 shift, u32 site) {
    return kind | narrow << 3 | (u32)several << 4 | acquired << 5 | shift << 6 | site << 10;
}

// What a cell becomes is worked out here, where it is not one of the usual cases below. `tag` is the thread's; `several` lanes
// of the warp do the same.
SELDOM void __lockstep_shared_change(Word *cell, u32 tag, u32 piece, u32 access) {
    u32 kind = access & 7, several = access >> 4 & 1, acquired = access >> 5 & 1, shift = access >> 6 & 15, site = access >> 10;
    u32 self = own_number(), own = self >> 5 & 31, old = __atomic_load_n(cell, __ATOMIC_RELAXED);
    for (;;) {
        u32 level = 0, now = shared_step(old, self, tag >> 24, tag >> 9 & 63, kind, &level);
        if (several && (now >> 18 & 63) == own << 1) now |= 1u << 3;
        if (now != old && !__atomic_compare_exchange_n(cell, &old, now, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) continue;
        if (level) {
            u32 row = site * KINDS + (acquired ? MAYBE_ORDERED : RACE);
            mark(__lockstep_shared_marks, piece, __lockstep_tell(row, ~0u, piece << shift, old, kind | level << 8));
        }
        return;
    }
}

SELDOM void __lockstep_global_change(u64 *cell, u32 tag, u32 time, u32 object, i64 piece, u32 access) {
    u32 kind = access & 7, narrow = access >> 3 & 1, several = access >> 4 & 1, acquired = access >> 5 & 1, shift = access >> 6 & 15;
    u32 site = access >> 10, self = own_number(), own = self >> 5 & 31, block = (u32)own_block() & 0x3fffff;
    u64 old = __atomic_load_n(cell, __ATOMIC_RELAXED);
    for (;;) {
        u32 level = 0;
        u64 now = global_step(old, self, time, tag >> 9 & 63, block, kind, narrow, &level);
        if (several && ((u32)(now >> 18) & 63) == own << 1 && now >> 42 == block && !(now >> 40 & 1)) now |= 1u << 3;
        if (now != old && !__atomic_compare_exchange_n(cell, &old, now, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) continue;
        if (level) {
            u32 row = site * KINDS + (acquired ? MAYBE_ORDERED : RACE);
            mark(__lockstep_marks, cell - __lockstep_global_cells, __lockstep_tell(row, object, piece << shift, old, kind | level << 8));
        }
        return;
    }
}

EVERYWHERE u32 shared_words(u32 shift) { return OWN_WORDS + ((__lockstep_shared_end + (1u << shift) - 1) >> shift); }

template <typename Cell, typename Value>
EVERYWHERE bool swapped(Cell *cell, Value old, Value now) {
    return __atomic_compare_exchange_n(cell, &old, now, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

// Of lanes that do the same to one piece together, one does it for all, and these others leave. Pieces are looked at twice: lanes
// come to one piece, to one for each half of the warp, or each to its own.
EVERYWHERE bool leaves(u32 piece, u32 lane, bool *several) {
    u32 here = __nvvm_activemask();
    for (int round = 0; round < 2; ++round) {
        u32 leader = __builtin_ctz(here);
        bool same = (u32)__nvvm_shfl_sync_idx_i32((int)here, (int)piece, (int)leader, 0x1f) == piece;
        u32 group = (u32)__nvvm_vote_ballot_sync(here, same);
        if (same) {
            *several = (group & (group - 1)) != 0;
            return lane != leader;
        }
        if ((group & (group - 1)) == 0) return false;
        here &= ~group;
    }
    return false;
}

// The usual cases, in few instructions: the cell says already what the access adds, or it is empty or of another time, or
// this thread alone has been there. A cell that is read may be an old one that a cache still has. What it says was true: where
// the access adds nothing to that, whoever has changed the cell since has looked at it.
EVERYWHERE void on_shared_piece(Thread *t, u32 piece, u32 kind, u32, u32 site, u32 shift) {
    enum { DEEDS = 7u | 7u << 15, LANES = 1u << 3, LANE = 31u << 4, WARPS = 1u << 18 };
    Word *cell = t->shared + OWN_WORDS + piece;
    u32 fresh = t->tag | kind | kind << 15, old = *cell, differs = old ^ fresh;
    if (differs == 0) return;
    bool is_old = differs >> 24 != 0, several = false;
    if (kind == WRITE) {
        if ((is_old || (differs & ~DEEDS) == 0) && swapped(cell, old, fresh)) return;
    } else {
        if (((differs ^ WARPS) & (0xffu << 24 | WARPS | 7u << 15)) == 0) return;
        if (((differs ^ LANES) & ~LANE) == 0) return;
        if ((differs & ~DEEDS) == 0 && (old & 7) == WRITE) return;
        if (leaves(piece, t->tag >> 4 & 31, &several)) return;
        if (is_old && swapped(cell, old, several ? fresh | LANES : fresh)) return;
    }
    __lockstep_shared_change(cell, t->tag, piece, packed(kind, 0, several, t->acquired, shift, site));
}

EVERYWHERE void on_global_piece(Thread *t, u32 object, u64 number, i64 piece, u32 kind, u32 narrow, u32 site, u32 shift) {
    const u64 deeds = 7ull << 37 | 7u << 15 | 7u, blocks = 1ull << 40, warps = 1ull << 18, lanes = 1u << 3, lane = 31u << 4;
    u32 time = t->block_time < GLOBAL_TIMES ? t->block_time : GLOBAL_TIMES;
    u64 *cell = __lockstep_global_cells + number;
    u64 fresh = (own_block() & 0x3fffff) << 42 | (u64)(narrow << 4 | kind) << 37 | (u64)time << 24 | (t->tag & 0xffffff) | kind |
                kind << 15;
    u64 old = *cell, differs = old ^ fresh;
    bool several = false;
    if (differs == 0) return;
    if (kind == WRITE) {
        if ((old == 0 || (differs & ~deeds) == 0) && swapped(cell, old, fresh)) return;
    } else {
        // Several blocks, or several warps of this one, have done the same.
        if (((differs ^ blocks) & (blocks | 7ull << 37)) == 0 && !(kind == UPDATE && (narrow || old >> 41 & 1))) return;
        if (((differs ^ warps) & ~0x7fffull & ~(31ull << 19)) == 0 && time != GLOBAL_TIMES) return;
        if (((differs ^ lanes) & ~lane) == 0) return;
        if ((differs & ~deeds) == 0 && (old & 7) == WRITE) return;
        if (leaves((u32)number, t->tag >> 4 & 31, &several)) return;
        if (old == 0 && swapped(cell, old, several ? fresh | lanes : fresh)) return;
    }
    __lockstep_global_change(cell, t->tag, time, object, piece, packed(kind, narrow, several, t->acquired, shift, site));
}

// What cells say of this thread, but for what it does: lane, barriers of the warp, warp, and in the upper bits barriers of
// the block, from 1 on.
EVERYWHERE void stamp(Thread *t, u32 time) {
    enum { OWN = 31u << 4 | 31u << 19 };
    t->tag = (t->tag & OWN) | t->warp_time << 9 | time << 24;
}

EVERYWHERE u32 seen_as(u32 kind) { return kind; }

EVERYWHERE bool stands_for_block(Thread *t) { return (t->tag & (30u << 4 | 30u << 19)) == 0; }

EVERYWHERE void begin(Thread *t) {
    u32 self = own_number();
    t->tag = (self & 31) << 4 | (self >> 5 & 31) << 19;
    stamp(t, 1);
}

EVERYWHERE void after_block_barrier(Thread *t, u32 shift, u32 has_shared) {
    if (t->block_time == GLOBAL_TIMES) __lockstep_note(TIMES_LOST);
    u32 time = (t->tag >> 24) + 1;
    if (time > SHARED_TIMES) {
        time = 1;
        if (has_shared) clear(t, shift, OWN_WORDS);
    }
    stamp(t, time);
}

EVERYWHERE void after_warp_barrier(Thread *t) {
    if (t->warp_time < WARP_TIMES) t->warp_time++;
    if (t->warp_time == WARP_TIMES) __lockstep_note(TIMES_LOST);
    stamp(t, t->tag >> 24);
}

// In the place of a barrier that all threads of the block should reach: each says at which it is, and all are counted. A
// thread that comes to the next barrier says so at another place.
ENTRY void __lockstep_block_barrier(Thread *t, u32 row) {
    volatile Word *here = t->shared + 1 + (t->block_time & 1);
    *here = row;
    u32 arrived = (u32)__nvvm_bar0_popc(1), other = *here;
    if (arrived != threads() || other != row) __lockstep_tell(row, ~0u, arrived, other, 0);
}
