//! Preallocates memory for the tables that Z3 fills whenever a context is created.
//!
//! There are two tables of 8.5 MB each. With page faults for single pages, filling the first of them takes longer than
//! all other work for a small kernel; with a few huge pages populated at once, it takes a fraction of that. The memory
//! is allocated from the system's allocator, which Z3 uses too, and freed immediately: the allocator keeps it, and
//! places the tables there.
//!
//! Nothing depends on it: where the system has no huge pages, or another allocator is in use, the pages are mapped when
//! they are first used.

/// Both tables, and the rest of a context.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const ROOM: usize = 18 << 20;

#[cfg(all(target_os = "linux", target_env = "gnu"))]
const PAGE: usize = 4096;

/// Preallocates memory for one context, once for each thread: the system's allocator has an arena for each thread.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(crate) fn make() {
    use std::cell::Cell;
    thread_local! {
        static IS_MADE: Cell<bool> = const { Cell::new(false) };
    }
    if IS_MADE.replace(true) {
        return;
    }
    // SAFETY: the advice is for whole pages of a block that is ours until it is freed, and only changes the contents of
    // pages that have none yet.
    unsafe {
        let block = libc::malloc(ROOM);
        if block.is_null() {
            return;
        }
        let skipped = block.align_offset(PAGE);
        let pages = block.byte_add(skipped);
        let length = (ROOM - skipped) / PAGE * PAGE;
        // Our own allocator disables huge pages for the whole process.
        let were_off = libc::prctl(libc::PR_GET_THP_DISABLE, 0, 0, 0, 0) == 1;
        if were_off {
            libc::prctl(libc::PR_SET_THP_DISABLE, 0, 0, 0, 0);
        }
        if libc::madvise(pages, length, libc::MADV_HUGEPAGE) == 0 {
            libc::madvise(pages, length, libc::MADV_POPULATE_WRITE);
        }
        if were_off {
            libc::prctl(libc::PR_SET_THP_DISABLE, 1, 0, 0, 0);
        }
        libc::free(block);
    }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) fn make() {}
