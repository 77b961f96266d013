//! Simulee's fitness of a launch: how many words its threads touch, and how many
//! of them meet at a word.
//!
//! Implements the sums of section 3.1 of the paper (f, the number of different
//! threads that access an address; g, whether any does) over words of four bytes:
//! words of shared memory once for each block, words of global memory once for the
//! launch. The counts are exact: (word, thread) pairs are kept, sorted and merged
//! now and then, so that memory grows with the different pairs and not with the
//! accesses.
//!
//! The launch runs in the fixed order of [`crate::grid`] without any check.
//! Accesses out of bounds are counted at the address they name (at most
//! [`MAX_STRAY_WORDS`] words of one); what they load is zero and what they store is
//! lost, as always. A compare-and-swap counts as a write whether it stores or not;
//! a group copy counts as one more thread of its block.
//!
//! What it deviates in: the paper's words are elements of arrays, whatever their
//! size.

use lockstep_kernel::{Kernel, Space, cfg};

use crate::access::lanes_of;
use crate::api::{BoundLaunch, Config, Footprint, LaunchError};
use crate::grid::{coverage, drive};
use crate::heap::Heap;
use crate::machine::{Budget, Globals, Stop, World};
use crate::program::{Program, object_of, origin};
use crate::race::COPY_ENGINE;
use crate::report::Reports;
use crate::watch::{Seen, Watch};

/// Words of one access out of bounds that are counted.
const MAX_STRAY_WORDS: u64 = 64;
/// Pairs that are kept before the first merge.
const FIRST_MERGE: usize = 1 << 14;

/// Executes one launch without checks and counts the words its threads touch.
pub fn footprint(
    kernel: &Kernel,
    launch: &BoundLaunch,
    config: &Config,
) -> Result<Footprint, LaunchError> {
    let cfg = cfg::Cfg::new(kernel);
    let program = Program::new(kernel, &cfg, launch, config)?;
    let globals = Globals::new(&program);
    let mut touched = Touched::default();
    let mut reports = Reports::new(false, &[]);
    let mut clock = 1;
    let mut heap = Heap::default();
    let mut reached = vec![false; kernel.sites.len()];
    let mut branches = vec![[false; 2]; program.code.blocks.len()];
    let budget = Budget { steps: config.max_steps, deadline: config.deadline };
    let mut world = World {
        reports: &mut reports,
        clock: &mut clock,
        sync: None,
        shadow: None,
        owners: None,
        steps: 0,
        lane_steps: 0,
        limit: budget.first_limit(),
        budget,
        changes: 0,
        heap: &mut heap,
        reached: &mut reached,
        branches: &mut branches,
        watch: Watch::Footprint(&mut touched),
    };
    let end = drive(&program, &globals, &mut world);
    let steps = world.steps;
    let mut out = touched.count(&program);
    out.coverage = coverage(&program, reached, &branches);
    out.steps = steps;
    out.complete = end.stop.is_none() && !end.deadlock;
    out.violated = matches!(end.stop, Some(Stop::Requires(_)));
    Ok(out)
}

/// Who touched which word.
#[derive(Default)]
pub(crate) struct Touched {
    /// Word; thread of the launch, with the lowest bit for a write.
    pairs: Vec<(u64, u64)>,
    /// Pairs after the last merge.
    merged: usize,
}

/// Numbers of threads in a block, with one for its group copies.
fn threads(program: &Program) -> u64 {
    u64::from(program.threads) + 1
}

impl Touched {
    pub(crate) fn access(
        &mut self,
        program: &Program,
        block: u32,
        first_thread: u32,
        seen: &Seen<'_>,
    ) {
        let write = program.sites[seen.site.0 as usize].writes;
        let start = origin(seen.object);
        let size = u64::from(seen.size.max(1));
        let first = u64::from(block) * threads(program);
        for l in lanes_of(seen.mask) {
            let at = start + seen.offsets[l];
            let t = match first_thread {
                COPY_ENGINE => u64::from(program.threads),
                t => u64::from(t) + l as u64,
            };
            let who = (first + t) << 1 | u64::from(write);
            for word in at >> 2..=(at + size - 1) >> 2 {
                self.pairs.push((word, who));
            }
        }
        if self.pairs.len() > FIRST_MERGE.max(2 * self.merged) {
            self.merge();
        }
    }

    /// An access out of bounds, or through a pointer to nowhere.
    pub(crate) fn stray(
        &mut self,
        program: &Program,
        block: u32,
        thread: u32,
        address: u64,
        size: u64,
        write: bool,
    ) {
        let object = program.objects.get(object_of(address));
        if object.is_some_and(|o| !matches!(o.space, Space::Shared | Space::Global)) {
            return;
        }
        let first = u64::from(block) * threads(program);
        let t = if thread == COPY_ENGINE { program.threads } else { thread };
        let who = (first + u64::from(t)) << 1 | u64::from(write);
        let last = address.saturating_add(size.max(1) - 1) >> 2;
        for word in (address >> 2..=last).take(MAX_STRAY_WORDS as usize) {
            self.pairs.push((word, who));
        }
    }

    /// One pair for each word and thread; a write counts for both.
    fn merge(&mut self) {
        self.pairs.sort_unstable();
        self.pairs.dedup_by(|next, kept| {
            let same = next.0 == kept.0 && next.1 >> 1 == kept.1 >> 1;
            kept.1 |= if same { next.1 & 1 } else { 0 };
            same
        });
        self.merged = self.pairs.len();
    }

    fn count(mut self, program: &Program) -> Footprint {
        self.merge();
        let threads = threads(program);
        let mut out = Footprint::default();
        let space = |word: u64| program.objects.get(object_of(word << 2)).map(|o| o.space);
        // Words of shared memory are those of one block; pairs are sorted by word,
        // then by thread and so by block.
        let place = |p: &(u64, u64)| match space(p.0) {
            Some(Space::Shared) => (p.0, (p.1 >> 1) / threads),
            _ => (p.0, 0),
        };
        for word in self.pairs.chunk_by(|a, b| place(a) == place(b)) {
            let n = word.len() as u64;
            out.addresses += 1;
            out.touches += n;
            if word.iter().any(|p| p.1 & 1 == 1) {
                out.written_addresses += 1;
                out.written_touches += n;
            }
        }
        let mut ends: rustc_hash::FxHashMap<(usize, u64), (u64, u64)> = Default::default();
        for p in &self.pairs {
            let (word, block) = place(p);
            let e = ends.entry((object_of(word << 2), block)).or_insert((word, word));
            *e = (e.0.min(word), e.1.max(word));
        }
        out.range = ends.values().map(|(a, b)| b - a + 1).sum();
        out
    }
}
