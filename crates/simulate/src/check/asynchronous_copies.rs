//! Asynchronous copies of single threads (`cp.async`), from where they begin to where they are waited for.
//!
//! A copy is made at its beginning, so that what is read later is what it brings. But it may be made at any time until
//! the thread's wait: whoever touches its memory in between races with it, be it the thread itself and whatever barriers
//! lie between. So each word that a copy writes or reads is kept here until then. The accesses of the copy count twice
//! for the other checks ([`crate::check::race`]): where it begins, and again where the wait has ended it.
//!
//! What it can miss: nothing that is executed. Copies that overlap each other are found too.

use lockstep_kernel::{SiteId, Ty};
use rustc_hash::FxHashMap;

use crate::check::happens_before::Ordered;
use crate::check::race::{AccessKind, Ctx, Event};
use crate::check::race_report::{Side, report};
use crate::code::lanes::{LANES, Slot};
use crate::code::program::{object_of, origin};
use crate::machine::block::{BlockRun, World};

/// What one thread has begun to copy: addresses and length in bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Copy {
    pub thread: u32,
    pub from: u64,
    pub to: u64,
    pub len: u64,
    pub read: SiteId,
    pub write: SiteId,
}

/// The copies of one thread.
#[derive(Default)]
struct Queue {
    /// Since the last commit.
    open: Vec<Copy>,
    /// Oldest first.
    groups: Vec<Vec<Copy>>,
}

#[derive(Default)]
pub(crate) struct UnderWay {
    threads: FxHashMap<u32, Queue>,
    /// By object and word: who copies there, by which site, whether it writes, and the bytes.
    words: FxHashMap<(u32, u64), Vec<Part>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Part {
    thread: u32,
    site: SiteId,
    writes: bool,
    /// The first byte and the one behind the last, within the object.
    bytes: (u64, u64),
}

const WORD: u64 = 4;

impl UnderWay {
    pub(crate) fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    pub(crate) fn clear(&mut self) {
        self.threads.clear();
        self.words.clear();
    }

    pub(crate) fn begin(&mut self, copy: Copy) {
        self.threads.entry(copy.thread).or_default().open.push(copy);
        for (word, part) in parts(&copy) {
            self.words.entry(word).or_default().push(part);
        }
    }

    /// What these lanes have begun since their last commit is a group.
    pub(crate) fn commit(&mut self, first_thread: u32, mask: u32) {
        for l in (0..LANES).filter(|l| mask >> l & 1 == 1) {
            let queue = self.threads.entry(first_thread + l as u32).or_default();
            let open = std::mem::take(&mut queue.open);
            queue.groups.push(open);
        }
    }

    /// All groups of a thread but the `left` newest are done: what was in them.
    fn done(&mut self, thread: u32, left: u32) -> Vec<Copy> {
        let Some(queue) = self.threads.get_mut(&thread) else { return Vec::new() };
        let ended = queue.groups.len().saturating_sub(left as usize);
        let copies: Vec<Copy> = queue.groups.drain(..ended).flatten().collect();
        for copy in &copies {
            for (word, part) in parts(copy) {
                let Some(there) = self.words.get_mut(&word) else { continue };
                if let Some(i) = there.iter().position(|p| *p == part) {
                    there.swap_remove(i);
                }
                if there.is_empty() {
                    self.words.remove(&word);
                }
            }
        }
        copies
    }

    /// Reports an access to what is being copied.
    #[cold]
    #[inline(never)]
    pub(crate) fn check(&self, ctx: &mut Ctx, e: &Event) {
        for l in (0..LANES).filter(|l| e.mask >> l & 1 == 1) {
            let (from, to) = (e.offsets[l], e.offsets[l] + u64::from(e.size));
            for word in from / WORD..to.div_ceil(WORD) {
                let Some(parts) = self.words.get(&(e.object as u32, word)) else { continue };
                for part in parts {
                    let first = from.max(part.bytes.0).max(word * WORD);
                    let last = to.min(part.bytes.1).min((word + 1) * WORD);
                    if first >= last || !part.writes && e.kind == AccessKind::Read {
                        continue;
                    }
                    let side = Side {
                        block: ctx.block,
                        thread: part.thread,
                        site: part.site.0,
                        silent: false,
                        overwritten: false,
                        under_way: true,
                    };
                    report(ctx, e, l, first, e.first_thread + l as u32, side, Ordered::No);
                }
            }
        }
    }
}

/// The words of a copy.
fn parts(copy: &Copy) -> Vec<((u32, u64), Part)> {
    let mut out = Vec::new();
    for (address, site, writes) in [(copy.from, copy.read, false), (copy.to, copy.write, true)] {
        let object = object_of(address);
        let at = address.wrapping_sub(origin(object));
        let part = Part { thread: copy.thread, site, writes, bytes: (at, at + copy.len) };
        let words = at / WORD..(at + copy.len).div_ceil(WORD);
        out.extend(words.map(|word| ((object as u32, word), part)));
    }
    out
}

impl BlockRun<'_, '_> {
    /// Lanes wait for their copies: from now on these are accesses of the past.
    pub(crate) fn await_copies(&mut self, w: usize, mask: u32, left: Slot, world: &mut World) {
        let regs = self.regs(w);
        for l in (0..LANES).filter(|l| mask >> l & 1 == 1) {
            let thread = self.warps[w].first_thread + l as u32;
            for copy in self.races.under_way.done(thread, regs.w32(left)[l]) {
                for (address, site, kind) in [
                    (copy.from, copy.read, AccessKind::Read),
                    (copy.to, copy.write, AccessKind::Write),
                ] {
                    let Some(t) = self.bulk_target(w, l, address, copy.len, site, world) else {
                        continue;
                    };
                    // SAFETY: in bounds.
                    let bytes = unsafe { std::slice::from_raw_parts(t.at(l), copy.len as usize) };
                    let bytes = bytes.to_vec();
                    let values = |_: usize, k: usize| u64::from(bytes[k]);
                    self.observe(w, &t, kind, site, copy.len as u32, 0, Ty::I8, &values, world);
                }
            }
        }
    }
}
