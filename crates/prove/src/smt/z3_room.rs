//! Room for the tables that Z3 fills whenever a context is made.
//!
//! There are two, of 8.5 MB each. Taken from the system page by page, the first of them cost more than all the rest of a
//! small kernel; as a few huge pages, taken at once, a fraction of that. The room is asked of the system's allocator, which
//! Z3 uses too, and given back to it at once: it keeps what it has, and the tables are laid there.
//!
//! Nothing depends on it: where the system has no huge pages, or another allocator is in use, the room comes when it is used.

/// Both tables, and what else is in a context.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const ROOM: usize = 18 << 20;

#[cfg(all(target_os = "linux", target_env = "gnu"))]
const PAGE: usize = 4096;

/// Makes room for one context, once for each thread: each has memory of its own with the system's allocator.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(crate) fn make() {
    use std::cell::Cell;
    thread_local! {
        static IS_MADE: Cell<bool> = const { Cell::new(false) };
    }
    if IS_MADE.replace(true) {
        return;
    }
    // SAFETY: the advice is about whole pages of a block that is ours until it is freed, and changes no contents but of pages
    // that have none yet.
    unsafe {
        let block = libc::malloc(ROOM);
        if block.is_null() {
            return;
        }
        let skipped = block.align_offset(PAGE);
        let pages = block.byte_add(skipped);
        let length = (ROOM - skipped) / PAGE * PAGE;
        // Our own allocator asks for none, for the whole process.
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
