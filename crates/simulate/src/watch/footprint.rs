//! Simulee's fitness of a launch: how many words its threads access, and how many threads share a word.
//!
//! Implements the sums of section 3.1 of the paper (f, the number of different threads that access an address; g,
//! whether any does) over words of four bytes: words of shared memory once for each block, words of global memory once
//! for the launch. The counts are exact: each word records the one thread of the block that accessed it, or the set of
//! them, and counts increase with that set. Threads of different blocks are different, so no state is kept for a block
//! that has ended.
//!
//! The launch runs in the fixed order of [`crate::machine::grid`] without any check. Accesses out of bounds are counted
//! at the address they name (at most [`MAX_STRAY_WORDS`] words of one); they load zero, and their stores are dropped,
//! as always. A compare-and-swap counts as a write whether it stores or not; a group copy counts as one more thread of
//! its block.
//!
//! Where it deviates: the paper's words are elements of arrays, whatever their size.

use std::borrow::Cow;

use lockstep_kernel::{Kernel, Space};
use rustc_hash::FxHashMap;

use crate::code::program::{Prepared, Program};
use crate::code::registers::lanes_of;
use crate::launch::outcome::Footprint;
use crate::launch::request::{BoundLaunch, Config, LaunchError};
use crate::machine::fault::Fault;
use crate::machine::grid::in_order;
use crate::machine::observe::{At, COPY_ENGINE, Event, Observer};
use crate::machine::world::Stop;

/// Maximum number of words of one out-of-bounds access that are counted.
const MAX_STRAY_WORDS: usize = 64;
/// Words outside of all objects that are kept before the first merge.
const FIRST_MERGE: usize = 1 << 14;

/// Executes one launch without checks and counts the words that its threads access.
pub fn footprint(
    kernel: &Kernel,
    launch: &BoundLaunch,
    config: &Config,
) -> Result<Footprint, LaunchError> {
    Prepared::plain(Cow::Borrowed(kernel)).footprint(launch, config)
}

impl Prepared<'_> {
    /// As [`footprint()`], for many launches of one kernel.
    pub fn footprint(
        &self,
        launch: &BoundLaunch,
        config: &Config,
    ) -> Result<Footprint, LaunchError> {
        let program = Program::new(self, launch, config, None)?;
        let mut touched = Touched::default();
        let run = in_order(&program, &mut touched);
        let mut out = touched.count(&program);
        out.coverage = run.coverage;
        out.steps = run.stats.warp_steps;
        out.complete = run.stop.is_none() && !run.deadlock;
        out.violated = matches!(run.stop, Some(Stop::Requires(_)));
        Ok(out)
    }
}

/// The threads of one block that accessed each word.
struct BlockTouched {
    block: u32,
    /// The number of the block among those that used this state; never 0.
    turn: u32,
    /// By object and word: the upper half is the turn for which the lower half is valid; the lower half is the one
    /// thread that accessed the word, or the position of the set of several.
    who: Vec<Vec<u64>>,
    sets: Vec<u64>,
    /// By object of shared memory and word: as [`Touched::counts`].
    counts: Vec<Vec<u32>>,
}

/// Flag in the lower half of a word's state: it refers to a set.
const SEVERAL: u32 = 1 << 31;

/// The words of one object, and the block that accesses them now.
struct Words<'a> {
    turn: u32,
    /// The size of a set of threads, in words.
    stride: usize,
    who: &'a mut [u64],
    sets: &'a mut Vec<u64>,
    counts: &'a mut [u32],
    /// Whether counts belong to the block, and start again with it.
    shared: bool,
    count: &'a mut Footprint,
}

impl Words<'_> {
    /// Adds a thread to those that accessed a word; returns whether it is new, and whether it is the first.
    #[inline(always)]
    fn add(&mut self, word: usize, t: u32) -> (bool, bool) {
        let state = &mut self.who[word];
        if (*state >> 32) as u32 != self.turn {
            *state = u64::from(self.turn) << 32 | u64::from(t);
            return (true, true);
        }
        let low = *state as u32;
        let slot = match low & SEVERAL {
            0 if low == t => return (false, false),
            0 => {
                let slot = self.sets.len() / self.stride;
                self.sets.resize(self.sets.len() + self.stride, 0);
                self.sets[slot * self.stride + low as usize / 64] |= 1 << (low % 64);
                *state = u64::from(self.turn) << 32 | u64::from(SEVERAL) | slot as u64;
                slot
            }
            _ => (low & !SEVERAL) as usize,
        };
        let bits = &mut self.sets[slot * self.stride + t as usize / 64];
        let new = *bits >> (t % 64) & 1 == 0;
        *bits |= 1 << (t % 64);
        (new, false)
    }

    /// Records an access of a thread to a word.
    #[inline(always)]
    fn touch(&mut self, word: usize, t: u32, write: bool) {
        let (new, first) = self.add(word, t);
        let count = &mut self.counts[word];
        if self.shared && first {
            *count = 0;
        }
        if new {
            self.count.addresses += u64::from(*count == 0);
            self.count.touches += 1;
            self.count.written_touches += u64::from(*count & 1);
            *count += 2;
        }
        if write && *count & 1 == 0 {
            self.count.written_addresses += 1;
            self.count.written_touches += u64::from(*count >> 1);
            *count |= 1;
        }
    }
}

/// Which threads accessed which words.
#[derive(Default)]
pub(crate) struct Touched {
    count: Footprint,
    /// By object of global memory and word: the number of threads, and in the lowest bit whether one of them writes.
    counts: Vec<Vec<u32>>,
    /// Blocks that run; the index of the one that ran last is `last`.
    blocks: Vec<BlockTouched>,
    last: usize,
    spare: Vec<BlockTouched>,
    /// Words outside of all objects: the word; the thread, with the lowest bit for a
    /// write.
    strays: Vec<(u64, u64)>,
    merged: usize,
    /// First and last word of each object, for each block if it is shared.
    ends: FxHashMap<(usize, u32), (u64, u64)>,
}

/// The number of threads in a block, plus one for its group copies.
fn threads(program: &Program) -> u32 {
    program.threads + 1
}

/// The words of `size` bytes at an address.
fn words(address: u64, size: u64) -> std::ops::RangeInclusive<u64> {
    address >> 2..=address.saturating_add(size.max(1) - 1) >> 2
}

impl Observer for Touched {
    type Block = ();

    fn new_block(&mut self, _: &Program) {}

    /// The state of a block that has ended is reused for another one.
    fn block_ends(&mut self, (): &mut (), _: &Program, block: u32) {
        if let Some(i) = self.blocks.iter().position(|b| b.block == block) {
            self.spare.push(self.blocks.swap_remove(i));
        }
    }

    #[inline(always)]
    fn access(&mut self, (): &mut (), at: &At, e: &Event) -> u64 {
        self.touch(at.program, at.block, e);
        0
    }

    fn fault(&mut self, (): &mut (), at: &At, fault: &Fault) {
        if let Fault::OutOfBounds { site, thread, address, size, .. } = *fault {
            let write = at.program.sites[site.0 as usize].writes;
            self.stray(at.program, at.block, thread, address, size, write);
        }
    }
}

impl Touched {
    fn touch(&mut self, program: &Program, block: u32, seen: &Event) {
        let write = program.sites[seen.site.0 as usize].writes;
        self.enter(program, block, seen.object);
        let size = u64::from(seen.size);
        let (mut low, mut high) = (u64::MAX, 0);
        let mut touched = self.words(program, seen.object);
        for l in lanes_of(seen.mask) {
            let t = match seen.thread(l) {
                COPY_ENGINE => program.threads,
                t => t,
            };
            let words = words(seen.offsets[l], size);
            (low, high) = (low.min(*words.start()), high.max(*words.end()));
            for word in words {
                touched.touch(word as usize, t, write);
            }
        }
        let start = program.addresses.origin(seen.object) >> 2;
        self.extend(program, block, seen.object, start + low, start + high);
    }

    /// An access out of bounds, or through a pointer to no object.
    fn stray(
        &mut self,
        program: &Program,
        block: u32,
        thread: u32,
        address: u64,
        size: u64,
        write: bool,
    ) {
        let object = program.addresses.object_of(address);
        let info = program.objects.get(object);
        if info.is_some_and(|o| !matches!(o.space, Space::Shared | Space::Global)) {
            return;
        }
        if info.is_some() {
            self.enter(program, block, object);
        }
        let t = if thread == COPY_ENGINE { program.threads } else { thread };
        let who = u64::from(block) * u64::from(threads(program)) + u64::from(t);
        let inside = info.map_or(0, |o| o.size.div_ceil(4));
        for word in words(address, size).take(MAX_STRAY_WORDS) {
            let index = word.wrapping_sub(program.addresses.origin(object) >> 2);
            if index < inside {
                self.words(program, object).touch(index as usize, t, write);
            } else {
                self.strays.push((word, who << 1 | u64::from(write)));
            }
            self.extend(program, block, object, word, word);
        }
        if self.strays.len() > FIRST_MERGE.max(2 * self.merged) {
            self.merge();
        }
    }

    /// Makes a block the current one, with space for an object.
    fn enter(&mut self, program: &Program, block: u32, object: usize) {
        if self.blocks.get(self.last).is_none_or(|b| b.block != block) {
            self.last = match self.blocks.iter().position(|b| b.block == block) {
                Some(i) => i,
                None => {
                    let mut new = self.spare.pop().unwrap_or_else(|| BlockTouched {
                        block,
                        turn: 0,
                        who: vec![Vec::new(); program.objects.len()],
                        sets: Vec::new(),
                        counts: vec![Vec::new(); program.objects.len()],
                    });
                    new.block = block;
                    new.turn += 1;
                    new.sets.clear();
                    self.blocks.push(new);
                    self.blocks.len() - 1
                }
            };
        }
        let state = &mut self.blocks[self.last];
        if state.who[object].is_empty() {
            let info = &program.objects[object];
            let n = info.size.div_ceil(4) as usize;
            state.who[object] = vec![0; n];
            self.counts.resize(program.objects.len(), Vec::new());
            if info.space == Space::Shared {
                state.counts[object] = vec![0; n];
            } else if self.counts[object].is_empty() {
                self.counts[object] = vec![0; n];
            }
        }
    }

    /// The words of an object, for the block that runs.
    fn words(&mut self, program: &Program, object: usize) -> Words<'_> {
        let block = &mut self.blocks[self.last];
        let shared = program.objects[object].space == Space::Shared;
        let counts = if shared { &mut block.counts[object] } else { &mut self.counts[object] };
        Words {
            turn: block.turn,
            stride: threads(program).div_ceil(64) as usize,
            who: &mut block.who[object],
            sets: &mut block.sets,
            counts,
            shared,
            count: &mut self.count,
        }
    }

    fn extend(&mut self, program: &Program, block: u32, object: usize, low: u64, high: u64) {
        let shared = program.objects.get(object).is_some_and(|o| o.space == Space::Shared);
        let key = (object, if shared { block } else { 0 });
        let ends = self.ends.entry(key).or_insert((low, high));
        *ends = (ends.0.min(low), ends.1.max(high));
    }

    /// Keeps one entry for each word and thread; if either is a write, the entry is a write.
    fn merge(&mut self) {
        self.strays.sort_unstable();
        self.strays.dedup_by(|next, kept| {
            let same = next.0 == kept.0 && next.1 >> 1 == kept.1 >> 1;
            kept.1 |= if same { next.1 & 1 } else { 0 };
            same
        });
        self.merged = self.strays.len();
    }

    fn count(mut self, program: &Program) -> Footprint {
        self.merge();
        let mut out = self.count;
        let object = |word: u64| program.addresses.object_of(word << 2);
        let space = |word: u64| program.objects.get(object(word)).map(|o| o.space);
        // Words of shared memory belong to one block; strays are sorted by word, then by thread and so by block.
        let place = |p: &(u64, u64)| match space(p.0) {
            Some(Space::Shared) => (p.0, (p.1 >> 1) / u64::from(threads(program))),
            _ => (p.0, 0),
        };
        for word in self.strays.chunk_by(|a, b| place(a) == place(b)) {
            let n = word.len() as u64;
            out.addresses += 1;
            out.touches += n;
            if word.iter().any(|p| p.1 & 1 == 1) {
                out.written_addresses += 1;
                out.written_touches += n;
            }
        }
        out.range = self.ends.values().map(|(a, b)| b - a + 1).sum();
        out
    }
}
