//! Asynchronous copies of single threads (`cp.async`, `cp.async.bulk`), from their start to the wait for them.
//!
//! The machine executes a copy at its start. But hardware may execute it at any time until the thread's wait: any
//! access to its memory in between races with it, also one by the thread itself, whatever barriers lie between. So each
//! word that a copy writes or reads is recorded here until then. The other checks ([`crate::check::race`]) see the
//! accesses of the copy twice: at its start, and again after the wait.
//!
//! What it can miss: nothing that is executed. Overlapping copies are found too.

use lockstep_kernel::SiteId;
use rustc_hash::FxHashMap;

use crate::check::happens_before::Ordered;
use crate::check::race::Ctx;
use crate::check::race_report::{Side, report};
use crate::code::registers::LANES;
use crate::launch::addresses::Addresses;
use crate::machine::observe::{AccessKind, Copy, Event};

/// Copies that have started and were not waited for.
pub(crate) struct UnfinishedCopies {
    addresses: Addresses,
    /// By object and word: the parts of copies that read or write there.
    words: FxHashMap<(u32, u64), Vec<Part>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Part {
    thread: u32,
    site: SiteId,
    writes: bool,
    /// The first byte and the byte after the last, within the object.
    bytes: (u64, u64),
}

const WORD: u64 = 4;

impl UnfinishedCopies {
    pub(crate) fn new(addresses: Addresses) -> UnfinishedCopies {
        UnfinishedCopies { addresses, words: FxHashMap::default() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    pub(crate) fn clear(&mut self) {
        self.words.clear();
    }

    pub(crate) fn begin(&mut self, copy: &Copy) {
        for (word, part) in parts(self.addresses, copy) {
            self.words.entry(word).or_default().push(part);
        }
    }

    /// Called when the thread has waited for a copy.
    pub(crate) fn end(&mut self, copy: &Copy) {
        for (word, part) in parts(self.addresses, copy) {
            let Some(there) = self.words.get_mut(&word) else { continue };
            if let Some(i) = there.iter().position(|p| *p == part) {
                there.swap_remove(i);
            }
            if there.is_empty() {
                self.words.remove(&word);
            }
        }
    }

    /// Reports an access to memory of a copy in flight.
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
                        unfinished: true,
                        before: false,
                    };
                    report(ctx, e, l, first, e.first_thread + l as u32, side, Ordered::No);
                }
            }
        }
    }
}

/// The words of a copy.
fn parts(addresses: Addresses, copy: &Copy) -> Vec<((u32, u64), Part)> {
    let mut out = Vec::new();
    let halves = [(copy.from, copy.read, false), (copy.to, copy.write, true)];
    for (address, site, writes) in halves {
        if !if writes { copy.writes } else { copy.reads } {
            continue;
        }
        let object = addresses.object_of(address);
        let at = address.wrapping_sub(addresses.origin(object));
        let part = Part { thread: copy.thread, site, writes, bytes: (at, at + copy.len) };
        let words = at / WORD..(at + copy.len).div_ceil(WORD);
        out.extend(words.map(|word| ((object as u32, word), part)));
    }
    out
}
