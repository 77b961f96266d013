//! Waits that never end in a launch that Lockstep chose, but end in another.
//!
//! Where warp 1 produces values for warp 0, a launch of one warp deadlocks; so does a launch of a single block where
//! block 1 produces for block 0, and a hand-written grid barrier whose number of blocks is a parameter, with any other
//! number. Nothing in such a kernel states how it must be launched, but its callers know. So a launch that deadlocks is
//! repeated with other dimensions, and with the parameters in the wait's condition set to the number of blocks, warps
//! or threads. If a thread then waits at the same source location, and the launch terminates, the deadlock is
//! `conditional`. If the initial launch deadlocks, all launches of the search start with the change that ends the wait.
//!
//! A wait that ends in no such launch is an error, with two exceptions: the awaited value is written only by code that
//! no thread of the launch reaches, nor could reach after the wait, or it is not written by the kernel at all, and
//! contents that Lockstep chose are not facts. These are possible, under that condition.
//!
//! What can go wrong: a deadlock may be called conditional although callers do run into it, in launches like these. It
//! is still reported.

use std::rc::Rc;

use lockstep_finding::launch::{Dimension, Expr, Operator, Relation};
use lockstep_finding::{Claim, Contents as Elements, Finding, Kind, Statement, When};
use lockstep_kernel::cfg::Cfg;
use lockstep_kernel::waits::{Wait, waits, writers};
use lockstep_kernel::{BlockId, SiteId, Space as Memory};

use crate::explore::inquiry::{Inquiry, Shown};
use crate::explore::ledger::make_conditional;
use crate::explore::ledger::same;
use crate::explore::trial::{Lab, Trial};
use crate::space::Space;
use crate::space::candidate::{Candidate, Contents, Gene};
use crate::space::launch::Sizes;
use crate::space::places::is_at;
use crate::space::slots::Part;

/// Maximum number of launches that are tried to end a wait.
pub(super) const TRIES: usize = 60;
/// Numbers of blocks, and of warps in a block, that the wait may need.
const BLOCKS: [u32; 7] = [2, 3, 4, 1, 8, 16, 32];
const WARPS: [u32; 8] = [2, 3, 4, 5, 8, 16, 1, 32];
/// Maximum number of constants from a condition that are tried as dimensions.
const MOST_NUMBERS: usize = 3;

/// Expressions that callers pass as the number that a hand-written barrier waits for.
const QUANTITIES: [&str; 12] = [
    "gridDim.x",
    "gridDim.x - 1",
    "gridDim.x * gridDim.y",
    "gridDim.x * gridDim.y * gridDim.z",
    "gridDim.x * blockDim.x",
    "gridDim.x * blockDim.x / 32",
    "blockDim.x",
    "blockDim.x - 1",
    "blockDim.x / 32",
    "blockDim.x / 32 - 1",
    "blockDim.x * blockDim.y",
    "gridDim.x * gridDim.y * blockDim.x * blockDim.y",
];

/// A change of the launch that ends a wait.
#[derive(Clone, Debug, PartialEq)]
enum Change {
    /// A dimension, and its value.
    Dimension(Dimension, u32),
    /// A slot has the value of this expression.
    Slot(usize, Expr),
}

/// A launch that deadlocks, and why.
pub(crate) struct Standstill {
    pub(crate) finding: Finding,
    pub(crate) relations: Vec<Relation>,
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
}

/// The change that ends the wait in which the initial launch deadlocks, if there is one.
pub(crate) fn standstill(lab: &Lab, steps: u64) -> Option<Standstill> {
    let space: &Space = lab.space;
    let mut all = waits(space.kernel, &Cfg::new(space.kernel));
    // If the kernel never writes the awaited value, no other launch writes it either.
    all.retain(|w| !writers(space.kernel, &w.reads).is_empty());
    if all.is_empty() {
        return None;
    }
    let plain = space.plain();
    let launch = space.launch(&plain, &Sizes::default(), lab.seed);
    let stuck = lab.simulate(&launch, steps).ok()?;
    let found = stuck.findings.iter().find(|f| f.kind == Kind::Deadlock)?.clone();
    // A wait that ends does so early.
    let few = (steps / 10).max(1);
    let mut run = |c: &Candidate| lab.try_out(c, few, true).ok().flatten().map(Rc::new);
    let mut ends = Ends { space, waits: of(space, all, &found), tries: TRIES, run: &mut run };
    let changes = ends.changes(&plain)?;
    let condition = ends.condition(&plain, &changes);
    let ended = ends.changed(&plain, &changes);
    let relation = |c: &Change| match c {
        Change::Slot(i, value) if space.slots[*i].part == Part::Lane(0) => {
            Some(Relation { name: space.slots[*i].name.clone(), value: value.clone() })
        }
        _ => None,
    };
    let mut finding = Finding { launch: Some(launch), ..found };
    make_conditional(&mut finding, condition);
    let relations = changes.iter().filter_map(relation).collect();
    Some(Standstill { finding, relations, grid: ended.grid, block: ended.block })
}

/// The waits at which a deadlock occurred.
fn of(space: &Space, all: Vec<Wait>, finding: &Finding) -> Vec<Wait> {
    let kernel = space.kernel;
    let is_it = |w: &Wait| {
        let insts = w.blocks.iter().flat_map(|b| &kernel.block(*b).insts);
        let mut sites = insts.filter_map(|i| i.op.site()).map(|s| kernel.site(s));
        sites.any(|s| finding.accesses.iter().any(|a| is_at(kernel, s, a)))
    };
    match all.iter().any(is_it) {
        true => all.into_iter().filter(is_it).collect(),
        false => all,
    }
}

/// Tries launches in which a wait may end.
struct Ends<'s, 'a> {
    space: &'s Space<'a>,
    waits: Vec<Wait>,
    tries: usize,
    run: &'s mut dyn FnMut(&Candidate) -> Option<Rc<Trial>>,
}

impl Ends<'_, '_> {
    fn changed(&self, c: &Candidate, changes: &[Change]) -> Candidate {
        let mut out = c.clone();
        for change in changes {
            if let Change::Dimension(d, n) = change {
                match d {
                    Dimension::Block(a) => out.block[*a] = *n,
                    Dimension::Grid(a) => out.grid[*a] = *n,
                }
            }
        }
        let out = self.space.agreeing(&out);
        let mut last = out.clone();
        for change in changes {
            if let Change::Slot(i, value) = change
                && let Some(v) = self.space.value_of(value, &out)
            {
                last.genes[*i] = Gene::Int(self.space.clamp(*i, v));
            }
        }
        last
    }

    fn trial(&mut self, c: &Candidate) -> Option<Rc<Trial>> {
        if self.tries == 0 || !self.space.is_possible(c) {
            return None;
        }
        self.tries -= 1;
        (self.run)(c).filter(|t| t.outcome.incomplete.is_none())
    }

    /// Whether a thread waits in a launch, and the launch terminates.
    fn ends(&mut self, c: &Candidate) -> bool {
        let Some(trial) = self.trial(c) else { return false };
        let ways = &trial.outcome.coverage.branches;
        let both = |b: &BlockId| ways[b.0 as usize] == [true; 2];
        self.waits.iter().any(|w| w.exits.iter().any(both))
    }

    /// The changes of a launch that the wait needs to end: as few as possible.
    fn changes(&mut self, c: &Candidate) -> Option<Vec<Change>> {
        let mut ending = None;
        for (change, i) in self.slot_changes() {
            if !self.follows(c, &change) {
                continue;
            }
            let change = vec![change];
            if self.beside(c, &change, i) != [true; 2] {
                return Some(change);
            }
            ending = ending.or(Some(change));
        }
        if ending.is_some() {
            return ending;
        }
        let dimensions = self.dimension_changes(c);
        let alone = dimensions.iter().find(|d| self.ends(&self.changed(c, &[(*d).clone()])));
        if let Some(change) = alone {
            return Some(vec![change.clone()]);
        }
        let [grids, blocks]: [Vec<&Change>; 2] = [false, true].map(|of_block| {
            let is_of =
                |c: &&Change| matches!(c, Change::Dimension(Dimension::Block(_), _)) == of_block;
            dimensions.iter().filter(is_of).take(4).collect()
        });
        for (&g, &b) in grids.iter().flat_map(|g| blocks.iter().map(move |b| (g, b))) {
            let both = [g.clone(), b.clone()];
            if self.ends(&self.changed(c, &both)) {
                return Some(both.into());
            }
        }
        None
    }

    /// Whether a wait ends if a slot has the value of an expression, in this launch and in one with other dimensions.
    fn follows(&mut self, c: &Candidate, change: &Change) -> bool {
        let [grid, block] = self.free();
        let mut moved = vec![Vec::new(); 2];
        for a in 0..3 {
            let more = |d, n: u32, free: bool| free.then_some(Change::Dimension(d, n));
            let used = |n: u32| n > 1 || a == 0;
            let g = grid[a] && used(c.grid[a]);
            moved[0].extend(more(Dimension::Grid(a), c.grid[a].max(2), g));
            moved[1].extend(more(Dimension::Grid(a), c.grid[a].max(2) + 1, g));
            let b = block[a] && used(c.block[a]);
            let n = if c.block_threads() <= 512 { 2 * c.block[a] } else { c.block[a] / 2 };
            moved[1].extend(more(Dimension::Block(a), n, b));
        }
        moved.into_iter().all(|mut dimensions| {
            dimensions.push(change.clone());
            self.ends(&self.changed(c, &dimensions))
        })
    }

    /// The dimensions that Lockstep may choose.
    fn free(&self) -> [[bool; 3]; 2] {
        let given = self.space.given;
        let related = &self.space.related;
        let grid = |a| given.grid.is_none() && !related.gives(Dimension::Grid(a));
        let fixed = given.block.is_some() || self.space.kernel.required_block.is_some();
        let block = |a| !fixed && !related.gives(Dimension::Block(a));
        [std::array::from_fn(grid), std::array::from_fn(block)]
    }

    /// Changes that may end a wait, with the slot that each changes.
    fn slot_changes(&self) -> Vec<(Change, usize)> {
        let space = self.space;
        let is_compared = |&i: &usize| {
            let s = &space.slots[i];
            let asked = self.waits.iter().any(|w| w.params.contains(&s.param));
            asked && s.ty.is_int() && !space.related.gives_slot(i)
        };
        let slots = (0..space.slots.len()).filter(is_compared);
        let values = QUANTITIES.iter().filter_map(|q| Expr::parse(q).ok());
        let values: Vec<Expr> = values.collect();
        slots.flat_map(|i| values.iter().map(move |v| (Change::Slot(i, v.clone()), i))).collect()
    }

    fn dimension_changes(&self, c: &Candidate) -> Vec<Change> {
        let [grid, block] = self.free();
        let numbers =
            self.waits.iter().flat_map(|w| &w.numbers).filter(|n| (2..=1024).contains(*n));
        let numbers: Vec<u32> = numbers.take(MOST_NUMBERS).map(|&n| n as u32).collect();
        let [h, used] = [&self.space.hints.block_axes, &self.space.hints.thread_axes];
        let mut out = Vec::new();
        for a in (0..3).filter(|&a| grid[a] && (h[a] || a == 0)) {
            let with = BLOCKS.iter().chain(&numbers).filter(|&&n| n != c.grid[a]);
            out.extend(with.map(|&n| Change::Dimension(Dimension::Grid(a), n)));
        }
        for a in (0..3).filter(|&a| block[a] && (used[a] || a == 0)) {
            let step = if a == 0 { 32 } else { 1 };
            let with = WARPS.iter().map(|n| n * step).chain(numbers.iter().copied());
            let with = with.filter(|&n| n != c.block[a] && (a < 2 || n <= 64));
            out.extend(with.map(|n| Change::Dimension(Dimension::Block(a), n)));
        }
        out
    }

    /// The condition under which a wait does not end, expressed by the changes that end it.
    fn condition(&mut self, c: &Candidate, changes: &[Change]) -> When {
        let parts: Vec<When> = (0..changes.len())
            .map(|k| match &changes[k] {
                Change::Slot(i, value) => self.slot_condition(c, changes, *i, value),
                Change::Dimension(d, n) => {
                    When::exactly(self.dimension_condition(c, changes, k, (*d, *n)))
                }
            })
            .collect();
        let is_example = parts.iter().any(|p| p.is_example);
        When { claim: Claim::any(parts.into_iter().map(|p| p.claim)), is_example }
    }

    fn slot_condition(
        &mut self,
        c: &Candidate,
        changes: &[Change],
        i: usize,
        value: &Expr,
    ) -> When {
        let name = Expr::name(&self.space.slots[i].name);
        let how = match self.beside(c, changes, i) {
            [true, false] => Operator::Gt,
            [false, true] => Operator::Lt,
            [false, false] => Operator::Ne,
            // The value that ends the wait is not a boundary.
            [true, true] => {
                return When::for_example(Claim::compare(name, Operator::Eq, Expr::int(c.int(i))));
            }
        };
        When::exactly(Claim::compare(name, how, value.clone()))
    }

    /// Whether the wait ends if a slot is one less, and one more, than the value that ends it.
    fn beside(&mut self, c: &Candidate, changes: &[Change], i: usize) -> [bool; 2] {
        let ended = self.changed(c, changes);
        [-1, 1].map(|by| {
            let mut other = ended.clone();
            other.genes[i] = Gene::Int(self.space.clamp(i, ended.int(i) + by));
            self.trial(&other).is_some()
        })
    }

    fn dimension_condition(
        &mut self,
        c: &Candidate,
        changes: &[Change],
        k: usize,
        (d, n): (Dimension, u32),
    ) -> Claim {
        let old = match d {
            Dimension::Block(a) => c.block[a],
            Dimension::Grid(a) => c.grid[a],
        };
        let with = |me: &mut Self, n: u32| {
            let mut others = changes.to_vec();
            others[k] = Change::Dimension(d, n);
            me.trial(&me.changed(c, &others)).is_some()
        };
        // Bisects for the first value, towards the launch that deadlocks, for which the wait does not end.
        let (mut stuck, mut ends) = (old, n);
        while stuck.abs_diff(ends) > 1 {
            let middle = stuck.min(ends) + stuck.abs_diff(ends) / 2;
            match with(self, middle) {
                true => ends = middle,
                false => stuck = middle,
            }
        }
        let beyond = if ends > old { 2 * ends + 1 } else { ends / 2 };
        let how = match (beyond > 0 && with(self, beyond), ends > old) {
            (true, true) => Operator::Lt,
            (true, false) => Operator::Gt,
            (false, _) => Operator::Ne,
        };
        Claim::dimension(d, how, ends)
    }
}

/// The values that a deadlock waits for.
struct Waited {
    waits: Vec<Wait>,
    /// The sites that read them, and those that write them.
    reads: Vec<SiteId>,
    writers: Vec<SiteId>,
}

impl Inquiry<'_, '_> {
    /// Whether the kernel has loops that wait for a value written by another thread.
    pub(super) fn has_waits(&self) -> bool {
        let kernel = self.driver.lab.space.kernel;
        !waits(kernel, &Cfg::new(kernel)).is_empty()
    }

    fn waited_for(&self, finding: &Finding) -> Waited {
        let space = self.driver.lab.space;
        let waits = of(space, waits(space.kernel, &Cfg::new(space.kernel)), finding);
        let reads: Vec<SiteId> = waits.iter().flat_map(|w| w.reads.iter().copied()).collect();
        let writers = writers(space.kernel, &reads);
        Waited { waits, reads, writers }
    }

    /// Flags and locks that are set before the launch, if it deadlocks only because of that.
    pub(super) fn preset_flags(&mut self, shown: &Shown) -> Option<Claim> {
        let space = self.driver.lab.space;
        let candidate = shown.candidate;
        let plain = space.plain();
        for a in (0..space.arrays.len()).filter(|&a| space.arrays[a].synchronises) {
            let own = candidate.contents[a];
            for usual in [plain.contents[a], Contents::Zeros] {
                let mut other = candidate.clone();
                other.contents[a] = usual;
                let ended = (usual != own).then(|| self.other(&other)).flatten();
                if ended.is_none_or(|t| same(&t, self.key).is_some()) {
                    continue;
                }
                return Some(match own {
                    Contents::First => {
                        Claim::compare(space.first_element(a), Operator::Ne, Expr::int(0))
                    }
                    _ => space.elements_are(&[a], Elements::AsInThisLaunch),
                });
            }
        }
        None
    }

    /// Other dimensions, or parameters equal to a number of blocks, warps or threads, with which the wait ends.
    pub(super) fn wait_ended_elsewhere(&mut self, shown: &Shown) -> Option<When> {
        let space = self.driver.lab.space;
        let Waited { waits, writers, .. } = self.waited_for(shown.finding);
        if writers.is_empty() {
            return None;
        }
        let mut run = |c: &Candidate| {
            let trial = self.driver.again(c, 1);
            self.hurried |= trial.is_none() && self.driver.is_over();
            trial
        };
        let mut ends = Ends { space, waits, tries: TRIES, run: &mut run };
        let changes = ends.changes(shown.candidate)?;
        Some(ends.condition(shown.candidate, &changes))
    }

    /// A flag that the kernel does not write holds what the caller stored.
    pub(super) fn flag_of_the_caller(&mut self, shown: &Shown) -> Option<Claim> {
        let space = self.driver.lab.space;
        let candidate = shown.candidate;
        let Waited { waits: these, reads, writers } = self.waited_for(shown.finding);
        if !writers.is_empty() {
            return None;
        }
        let numbers = these.iter().flat_map(|w| w.numbers.iter().copied());
        let numbers: Vec<u64> = numbers.filter(|n| *n != 0).take(MOST_NUMBERS).collect();
        for a in 0..space.arrays.len() {
            let array = &space.arrays[a];
            let name = &space.kernel.params[array.param].name;
            let is_it = |r| space.kernel.site(r).through.as_ref() == Some(name);
            if !reads.iter().any(|&r| is_it(r)) || !array.is_of_ints() {
                continue;
            }
            let others = [Contents::Ones, Contents::Zeros];
            for contents in others.into_iter().chain(numbers.iter().map(|n| Contents::Value(*n))) {
                let mut other = candidate.clone();
                other.contents[a] = contents;
                let trial = (other != *candidate).then(|| self.other(&other)).flatten();
                if !trial.is_some_and(|t| t.outcome.incomplete.is_none() && self.reaches(&t)) {
                    continue;
                }
                let are = match contents {
                    Contents::Ones => Elements::Value("0".into()),
                    Contents::Zeros => Elements::NotValue("0".into()),
                    Contents::Value(n) => Elements::NotValue(n.to_string()),
                    _ => continue,
                };
                return Some(space.elements_are(&[a], are));
            }
        }
        None
    }

    /// Awaited values that no thread of the launch can write.
    pub(super) fn writer_out_of_reach(&mut self, shown: &Shown) -> Option<Claim> {
        let space = self.driver.lab.space;
        let finding = shown.finding;
        let Waited { waits: these, reads, writers } = self.waited_for(finding);
        let kernel = space.kernel;
        let global = |s| kernel.site(s).space != Memory::Shared;
        if writers.is_empty() {
            let named = reads.iter().copied().filter(|&r| global(r));
            let name = named.filter_map(|r| kernel.site(r).through.as_ref()).next()?;
            return Some(Statement::NobodyWrites { array: name.clone() }.into());
        }
        let stuck = self.driver.again(shown.candidate, 1)?;
        let reached = &stuck.outcome.coverage.sites;
        // A thread that waits would reach the write after the wait.
        let block_of = |site| {
            let holds =
                |b: &&lockstep_kernel::Block| b.insts.iter().any(|i| i.op.site() == Some(site));
            kernel.blocks.iter().position(|b| holds(&b))
        };
        let standing = |b: &usize| {
            let insts = &kernel.blocks[*b].insts;
            let mut sites = insts.iter().filter_map(|i| i.op.site()).map(|s| kernel.site(s));
            sites.any(|s| finding.accesses.iter().any(|a| is_at(kernel, s, a)))
        };
        let loops = these.iter().flat_map(|w| &w.blocks).map(|b| b.0 as usize);
        let mut ahead: Vec<bool> = vec![false; kernel.blocks.len()];
        let mut work: Vec<usize> = (0..kernel.blocks.len()).filter(standing).chain(loops).collect();
        while let Some(b) = work.pop() {
            if !std::mem::replace(&mut ahead[b], true) {
                work.extend(kernel.blocks[b].term.successors().map(|s| s.0 as usize));
            }
        }
        let beyond = writers
            .iter()
            .find(|&&s| !reached[s.0 as usize] && block_of(s).is_some_and(|b| !ahead[b]))?;
        let site = kernel.site(*beyond);
        let line = kernel.loc(site.loc).line;
        let writes = site.through.clone().unwrap_or_else(|| "what it waits for".into());
        Some(Statement::NoThreadReaches { line, writes }.into())
    }

    /// Whether anything in a launch is left to choose.
    pub(super) fn is_ours(&self) -> bool {
        let given = self.driver.lab.space.given;
        let dynamic = self.driver.lab.space.kernel.objects.iter().any(|o| o.dynamic);
        !given.is_complete(dynamic)
    }
}
