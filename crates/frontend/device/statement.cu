// The scheme `statement`: a launch behind one with the scheme `flag`, which has marked pieces of memory that threads race
// for. Every access of these is written down, with its statement and its thread; the host looks at all pairs.

enum { RECORD = 12, COUNTERS = 4096, MOST_OF_COUNTER = 16384, LOG_HEADER = 4 + COUNTERS };

extern "C" {
__attribute__((constant)) u32 *__lockstep_log;     // how many records, how many were left out; counters by address; records
__attribute__((constant)) u32 __lockstep_log_size; // for how many there is room
}

// So that one address does not take the room of all.
EVERYWHERE u32 counter(u64 block, u64 cell) {
    u64 hash = cell * 0x9e3779b97f4a7c15ull + block * 0xc2b2ae3d27d4eb4full;
    return (u32)(hash >> 32) % COUNTERS;
}

SELDOM void __lockstep_record(u32 time, u32 warp_time, u32 object, i64 at, u64 cell, u32 site, u32 how, u32 number) {
    u32 *log = __lockstep_log;
    u64 block = own_block();
    if (__atomic_fetch_add(log + 4 + number, 1u, __ATOMIC_RELAXED) >= MOST_OF_COUNTER) {
        __atomic_fetch_add(log + 1, 1u, __ATOMIC_RELAXED);
        return;
    }
    u32 place = __atomic_fetch_add(log, 1u, __ATOMIC_RELAXED);
    if (place >= __lockstep_log_size) return;
    u32 *to = log + LOG_HEADER + (u64)place * RECORD;
    to[0] = site;
    to[1] = how;
    to[2] = own_number();
    to[3] = (u32)block;
    to[4] = (u32)(block >> 32);
    to[5] = object;
    to[6] = (u32)at;
    to[7] = (u32)((u64)at >> 32);
    to[8] = time;
    to[9] = warp_time;
    to[10] = (u32)cell;
    to[11] = (u32)(cell >> 32);
}

EVERYWHERE bool is_followed(const u32 *marks, u64 piece) { return marks[piece >> 4] >> (u32)(piece & 15) * 2 & FOLLOWED; }

// No cells: only the checker's own words.
EVERYWHERE u32 shared_words(u32) { return OWN_WORDS; }

EVERYWHERE void on_shared_piece(Thread *t, u32 piece, u32 kind, u32 narrow, u32 site, u32 shift) {
    if (is_followed(__lockstep_shared_marks, piece))
        __lockstep_record(t->block_time, t->warp_time, ~0u, (i64)piece << shift, piece, site,
                          kind | narrow << 8 | t->acquired << 9, counter(own_block() + 1, piece));
}

EVERYWHERE void on_global_piece(Thread *t, u32 object, u64 cell, i64 piece, u32 kind, u32 narrow, u32 site, u32 shift) {
    if (is_followed(__lockstep_marks, cell))
        __lockstep_record(t->block_time, t->warp_time, object, piece << shift, cell, site,
                          kind | narrow << 8 | t->acquired << 9, counter(0, cell));
}

EVERYWHERE u32 seen_as(u32 kind) { return kind == TOGETHER ? READ : kind; }

EVERYWHERE bool stands_for_block(Thread *) { return (own_number() & ~33u) == 0; }

EVERYWHERE void begin(Thread *t) { t->tag = 0; }

EVERYWHERE void after_block_barrier(Thread *, u32, u32) {}

EVERYWHERE void after_warp_barrier(Thread *t) { t->warp_time++; }

ENTRY void __lockstep_block_barrier(Thread *, u32) { __syncthreads(); }
