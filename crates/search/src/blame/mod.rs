//! Whether a value of ours is to blame.
//!
//! A bug may show for the ordinary values that Lockstep chose, and yet be none: nothing in the kernel says that one size
//! is a multiple of another, that an offset lies behind the data, or that an array of indices is a permutation, but a
//! caller knows. So what a launch needs is varied once more: a block that fills the shared arrays, longer rows, round
//! sizes, offsets beyond all sizes, distinct indices. Where the bug goes away with one of these and nothing else goes
//! wrong, it is `conditional`, and the condition is what was varied.
//!
//! What it can do wrong: call a bug conditional that callers do meet. It is still reported, with the values it needs.

mod countdown;
mod dimensions;
mod elements;
mod empty_parts;
pub(crate) mod first_link;
mod indices_beyond;
mod logarithms;
mod multiples;
mod shapes;
mod thread_groups;
pub(crate) mod waits;
mod warps;

use std::rc::Rc;

use lockstep_finding::{Access, Finding, Kind, Severity};
use lockstep_kernel::{AtomicOp, Kernel, Op, Operand, ParamKind, Site, SiteId};

use crate::condition;
use crate::explore::ledger::same;
use crate::explore::trial::Trial;
use crate::shrink::Shrinker;
use crate::space::candidate::{Candidate, Contents, Gene};
use crate::space::structs;
use crate::space::{FreeArray, Slot};

/// Threads along a block's first axis.
const USUAL_WIDTHS: [u32; 9] = [32, 64, 128, 256, 512, 1024, 16, 8, 4];
/// And along its second.
const USUAL_HEIGHTS: [u32; 5] = [16, 8, 4, 32, 2];
/// So many times longer are rows that do not overlap.
const LONGER: i64 = 64;
/// And what they are computed from, the smallest first: the launch may grow with it.
const PARTS: [i64; 3] = [2, 8, LONGER];
/// A bug of a loop shows in so many rounds.
const LEAST_ROUNDS: i64 = 3;
/// So many times longer than the launch that shows a bug may one take that does not.
const PATIENCE: u64 = 10;
/// Offsets that lie behind the data of a small launch: as large as it is at least, and as large as the parts of its
/// threads may be.
const FAR: [i64; 2] = [64, 1 << 16];

/// A bug as a launch shows it.
pub(crate) struct Shown<'t> {
    pub(crate) candidate: &'t Candidate,
    pub(crate) finding: &'t Finding,
    /// What else went wrong in that launch.
    pub(crate) wrong: usize,
}

/// Line and column of a site.
fn place_of(kernel: &Kernel, site: &Site) -> (u32, u32) {
    let loc = kernel.loc(site.loc);
    (loc.line, loc.column)
}

/// Whether an access was made at this site, by the place in the source.
pub(crate) fn is_at(kernel: &Kernel, site: &Site, access: &Access) -> bool {
    place_of(kernel, site) == (access.place.line, access.place.column)
}

pub(crate) fn wrong(trial: &Trial) -> usize {
    let outside = trial.outcome.findings.iter().filter(|f| f.kind == Kind::OutOfBounds);
    outside.count() + trial.doubts.len()
}

/// Whether a launch came to its end with no more that goes wrong than this.
fn is_no_worse(trial: &Trial, before: usize) -> bool {
    trial.outcome.incomplete.is_none() && wrong(trial) <= before
}

/// Whether all that is done to an array is to count it up, by one at a time.
fn draws_single(kernel: &Kernel, array: &FreeArray) -> bool {
    let name = &kernel.params[array.param].name;
    let of_it = |site: SiteId| kernel.site(site).through.as_ref() == Some(name);
    array.member.is_none()
        && kernel.insts().all(|inst| match inst.op {
            Op::Atomic { op, site, value, .. } if of_it(site) => {
                matches!(op, AtomicOp::Add | AtomicOp::Inc) && value == Operand::Imm(1)
            }
            Op::Store { site, .. } => !of_it(site),
            _ => true,
        })
}

impl Shrinker<'_, '_> {
    pub(crate) fn shown<'t>(&self, trial: &'t Trial) -> Option<Shown<'t>> {
        let finding = same(trial, self.key)?;
        Some(Shown { candidate: &trial.candidate, finding, wrong: wrong(trial) })
    }

    /// The condition under which a bug shows in an ordinary launch, if others do not have it.
    pub(crate) fn blame(&mut self, trial: &Trial) -> Option<String> {
        // In this order: the first that is to blame is named.
        let excuses: &[fn(&mut Self, &Trial) -> Option<String>] = match self.key.kind {
            Kind::UninitialisedRead => &[
                Self::large_block,
                Self::broken_warps,
                Self::indices_beyond,
                Self::broken_groups,
                Self::many_rounds,
                Self::other_power,
                Self::narrow_block,
                Self::several_blocks,
                Self::offset_of_the_block,
                Self::last_of_threads,
                Self::empty_parts,
                Self::empty_structs,
                Self::short_countdown,
                Self::small_sizes,
                Self::idle_axes,
            ],
            Kind::DataRace | Kind::MissingFence => &[
                Self::idle_axes,
                Self::large_block,
                Self::broken_warps,
                Self::other_tile,
                Self::flat_block,
                Self::square_grid,
                Self::short_rows,
                Self::many_rounds,
                Self::other_power,
                Self::offset_in_the_data,
                |me, trial| me.strange_elements(&trial.candidate, same(trial, me.key)?),
                Self::falling_bounds,
                |me, trial| me.unsorted(&me.shown(trial)?),
                Self::equal_ranks,
                Self::indices_beyond,
                Self::equal_indices,
                Self::close_segments,
                Self::crooked_vectors,
                Self::short_countdown,
                Self::small_sizes,
                Self::many_threads,
            ],
            Kind::Misaligned => &[Self::crooked_sizes],
            Kind::OutOfBounds => &[Self::outside_by_dimensions, Self::outside_by_arguments],
            Kind::Deadlock => &[|me, trial| me.without_first_link(&trial.candidate)],
            _ => &[],
        };
        excuses.iter().find_map(|excuse| excuse(self, trial))
    }

    /// The same as [`Self::needs_its_block`] for the block that fills the shared arrays, which need not be the plain
    /// one, and for other usual ones: the kernel may be written for any of them.
    fn narrow_block(&mut self, trial: &Trial) -> Option<String> {
        let space = self.driver.lab.space;
        let c = &trial.candidate;
        let mut blocks = vec![space.full_block(c)];
        let [free_x, free_y, _] = space.free_block();
        if free_x {
            blocks.extend(USUAL_WIDTHS.map(|x| [x, c.block[1], c.block[2]]));
        }
        if free_y {
            blocks.extend(USUAL_HEIGHTS.map(|y| [c.block[0], y, c.block[2]]));
            blocks.extend(USUAL_HEIGHTS.map(|y| [y, y, c.block[2]]).iter().filter(|_| free_x));
        }
        let mut seen = vec![c.block];
        blocks.retain(|b| {
            !seen.contains(b) && {
                seen.push(*b);
                true
            }
        });
        let clean = |&block: &[u32; 3]| self.is_clean_there(&Candidate { block, ..c.clone() });
        let block = blocks.iter().copied().find(clean)?;
        Some(condition::block(c, block))
    }

    /// A block that has no room in a shared array of a fixed size was our choice: what no smaller one shows is its
    /// doing.
    fn large_block(&mut self, trial: &Trial) -> Option<String> {
        let c = &trial.candidate;
        let free = self.driver.lab.space.free_block();
        let mut inside = None;
        for axis in (0..3).filter(|&a| trial.overflows && free[a]) {
            let mut block = c.block;
            while block[axis] > 1 {
                block[axis] = block[axis].next_power_of_two() / 2;
                let other = self.other(&Candidate { block, ..c.clone() })?;
                let whole = other.outcome.incomplete.is_none() && !other.overflows;
                if whole && same(&other, self.key).is_some() {
                    return None;
                }
                if whole {
                    inside = inside.or(Some(block));
                    break;
                }
            }
        }
        Some(condition::block(c, inside?))
    }

    /// A number of rounds in which something is halved or doubled each time is the logarithm of how many threads there are,
    /// or elements for them: more than that was our choice. What is wrong with a round shows in so many of them too.
    fn many_rounds(&mut self, trial: &Trial) -> Option<String> {
        let space = self.driver.lab.space;
        let log = |c: &Candidate| i64::from(c.block.iter().product::<u32>().ilog2());
        let is_count = |s: &Slot| {
            let h = &s.hints;
            s.ty.is_int() && h.bounds_loop && !s.is_guarded() && !h.reaches_address
        };
        let counts: Vec<usize> =
            (0..space.slots.len()).filter(|&i| is_count(&space.slots[i])).collect();
        // A block that was made small has too few rounds of its own.
        let c = &match log(&trial.candidate) {
            n if n > LEAST_ROUNDS || counts.is_empty() => trial.candidate.clone(),
            _ => {
                let [_, y, z] = trial.candidate.block;
                let wider = [[USUAL_WIDTHS[0], y, z], space.plain().block];
                let with = |block| Candidate { block, ..trial.candidate.clone() };
                wider.into_iter().map(with).find(|c| self.shows(c))?
            }
        };
        counts.into_iter().find_map(|i| {
            let fewer = [log(c) + 1, log(c), log(c) - 1];
            let fewer = fewer.into_iter().filter(|&n| n >= LEAST_ROUNDS && n < c.int(i));
            let clean = fewer
                .collect::<Vec<_>>()
                .into_iter()
                .find(|&n| self.is_clean(&condition::with(c, i, n)))?;
            Some(condition::below(self, c, i, clean))
        })
    }

    /// What only next to nothing shows: a pattern of one letter, an image of two rows. In a launch that is ordinary otherwise,
    /// a size of at most half of what is usual is made usual again, and no multiple of anything; where none of these
    /// has the bug, it needs the small one. Where elements of arrays led the threads there, that is no matter of sizes.
    fn small_sizes(&mut self, trial: &Trial) -> Option<String> {
        let space = self.driver.lab.space;
        if !self.leaders(&same(trial, self.key)?.accesses).is_empty() {
            return None;
        }
        let c = &trial.candidate;
        let plain = space.plain();
        let is_size = |&i: &usize| space.slots[i].is_size() && !space.related.gives_slot(i);
        let small = |i: &usize| c.int(*i) >= 0 && c.int(*i) <= plain.int(*i) / 2;
        let sizes: Vec<usize> = (0..space.slots.len()).filter(is_size).filter(small).collect();
        sizes.into_iter().find_map(|i| {
            let (v, usual) = (c.int(i), plain.int(i));
            let ordinary = condition::with(&plain, i, v);
            let shows = self.shows(&ordinary);
            let mut larger = vec![usual / 2 + 1, usual - usual / 4, usual - 1, usual];
            larger.retain(|&n| n > v);
            larger.dedup();
            let clean = |&n: &i64| self.is_clean_there(&condition::with(&plain, i, n));
            let clean = shows && !larger.is_empty() && larger.iter().all(clean);
            clean.then(|| condition::below(self, &ordinary, i, larger[0]))
        })
    }

    /// So do vectors of several elements stay in their rows.
    fn crooked_vectors(&mut self, trial: &Trial) -> Option<String> {
        match self.is_of_vectors(same(trial, self.key)?) {
            true => self.crooked_sizes(trial),
            false => None,
        }
    }

    /// Whether one of the accesses is of more than an element of its array.
    fn is_of_vectors(&self, finding: &Finding) -> bool {
        let kernel = self.driver.lab.space.kernel;
        let is_vector = |site: &Site| {
            let param = kernel.params.iter().find(|p| site.through.as_ref() == Some(&p.name));
            let elem = param.and_then(|p| match p.kind {
                ParamKind::Buffer { elem, .. } => Some(elem.size()),
                _ => None,
            });
            elem.is_some_and(|size| site.size > size)
        };
        let of_vector =
            |a: &Access| kernel.sites.iter().filter(|s| is_at(kernel, s, a)).any(is_vector);
        finding.accesses.iter().any(of_vector)
    }

    /// Rows overlap where they are shorter than what the threads of a row cover. Where no guard ties their length to
    /// the launch, a race that longer rows do not have needs such a length.
    fn short_rows(&mut self, trial: &Trial) -> Option<String> {
        let space = self.driver.lab.space;
        let c = &trial.candidate;
        let rows = (0..space.slots.len()).filter(|&i| space.slots[i].is_row_length());
        rows.collect::<Vec<_>>().into_iter().find_map(|i| {
            let long = c.int(i).saturating_mul(LONGER);
            let mut longer = c.clone();
            longer.genes[i] = Gene::Int(long);
            let clean = space.clamp(i, long) == long && self.is_clean(&longer);
            clean.then(|| condition::below(self, c, i, long)).or_else(|| self.short_parts(c, i))
        })
    }

    /// A row whose length the host computes from other arguments is longer where one of these is. Who guards threads by
    /// them, or by arguments beside them, says nothing of how they hang together: where the boundary is another argument,
    /// the caller knows. A boundary at the end of the grid is a guard that is missing, and no condition.
    fn short_parts(&mut self, c: &Candidate, row: usize) -> Option<String> {
        let space = self.driver.lab.space;
        let sources = space.related.sources(row, &space.slots);
        let sources = sources.into_iter().filter(|&i| !space.related.gives_slot(i) && c.int(i) > 0);
        sources.collect::<Vec<_>>().into_iter().find_map(|i| {
            let longer = PARTS.map(|times| c.int(i).saturating_mul(times));
            let long = longer.into_iter().find(|&long| {
                space.clamp(i, long) == long && self.is_clean(&condition::with(c, i, long))
            })?;
            condition::below_another(self, c, i, long)
        })
    }

    /// Where one block is meant for a whole row, sizes that take several leave elements unwritten.
    fn several_blocks(&mut self, trial: &Trial) -> Option<String> {
        let space = self.driver.lab.space;
        let c = &trial.candidate;
        let mut one = c.clone();
        let mut sizes = Vec::new();
        for (i, slot) in space.slots.iter().enumerate() {
            let (block, v) = (c.block[slot.axis] as i64, c.int(i));
            if !slot.ty.is_float() && v > block && v % block == 0 {
                one.genes[i] = Gene::Int(block);
                sizes.push(format!("{} > blockDim.{}", slot.name, ['x', 'y', 'z'][slot.axis]));
            }
        }
        (!sizes.is_empty() && self.is_clean(&one)).then(|| sizes.join(" && "))
    }

    /// What is added to an index of a shared array may be how many threads there are along an axis.
    fn offset_of_the_block(&mut self, trial: &Trial) -> Option<String> {
        let c = &trial.candidate;
        let axes = [0, 1, 2].map(|a| i64::from(c.block[a]));
        self.offsets().into_iter().find_map(|i| {
            let other = axes
                .into_iter()
                .filter(|&v| v != c.int(i))
                .find(|&v| self.is_clean(&condition::with(c, i, v)))?;
            Some(condition::below(self, c, i, other))
        })
    }

    /// What an index is found to be equal to, or one more, may be how many there are: it picks out the last one.
    fn last_of_threads(&mut self, trial: &Trial) -> Option<String> {
        let space = self.driver.lab.space;
        let c = &trial.candidate;
        let finding = same(trial, self.key)?;
        let picks = |&i: &usize| {
            let (h, ty) = (&space.slots[i].hints, space.slots[i].ty);
            // One that says how far threads go, too, is no such number alone.
            let goes_far = h.bounds_loop || h.compared_with_index.contains(&true);
            ty.is_int() && h.equals_index && !goes_far && !space.related.gives_slot(i)
        };
        let picks: Vec<usize> = (0..space.slots.len()).filter(picks).collect();
        let counts = (0..3).flat_map(|a| [i64::from(c.block[a]), c.along(a)]);
        let counts: Vec<i64> = counts.flat_map(|n| [n, n - 1]).collect();
        picks.into_iter().find_map(|i| {
            let v = space.clamp(i, c.int(i));
            let mut others = counts.iter().copied().filter(|&n| n > 0 && n != v);
            let clean = others.find(|&n| {
                let other = self.without_bug(&condition::with(c, i, n), 0);
                other.is_some_and(|t| self.touches(&t) && !self.has_others(&t, finding))
            })?;
            Some(condition::below(self, c, i, clean))
        })
    }

    /// Whether an array is one of structs, whose members are not known.
    pub(crate) fn is_struct(&self, array: usize) -> bool {
        let space = self.driver.lab.space;
        space.arrays[array].member.is_none()
            && structs::is_struct(space.kernel, space.arrays[array].param)
    }

    /// An offset of nothing, one that names a single element, or one that leads before an array's first element, was our
    /// choice: behind all sizes the elements may be others, with rows that have room for it.
    fn offset_in_the_data(&mut self, trial: &Trial) -> Option<String> {
        let space = self.driver.lab.space;
        let c = &trial.candidate;
        // Some arrays are larger than any of ours.
        let before = wrong(trial);
        let outside = trial.doubts.iter().any(|(kind, _)| *kind == Kind::OutOfBounds);
        let mut offsets = self.offsets();
        let sizes = (0..space.slots.len()).filter(|&i| !space.slots[i].ty.is_float());
        let most = sizes.map(|i| c.int(i)).chain((0..3).map(|a| c.along(a))).max().unwrap_or(0);
        // What a loop makes smaller is in the data at some time.
        let ours = |i: usize| {
            let h = &space.slots[i].hints;
            c.int(i) < most || h.names_element || h.added_in_rounds
        };
        offsets.retain(|&i| outside || ours(i));
        let rows: Vec<usize> =
            (0..space.slots.len()).filter(|&i| space.slots[i].is_row_length()).collect();
        let rows: Vec<usize> = rows.into_iter().filter(|&i| c.int(i) > 0).collect();
        let fars = FAR.map(|far| most.saturating_mul(2).max(far));
        for (i, far) in offsets.into_iter().flat_map(|i| fars.map(|far| (i, far))) {
            if space.clamp(i, far) != far {
                continue;
            }
            let alone = condition::with(c, i, far);
            if self.is_no_worse(&alone, before) {
                return Some(condition::below(self, c, i, far));
            }
            let long = |r: usize| c.int(r).max(far).saturating_mul(LONGER);
            let mut roomy = alone.clone();
            rows.iter().for_each(|&r| roomy.genes[r] = Gene::Int(space.clamp(r, long(r))));
            if rows.is_empty() || !self.is_no_worse(&roomy, before) {
                continue;
            }
            // What was changed first that alone makes the bug go away.
            let gone =
                |me: &mut Self, k: usize, v: i64| me.run(&condition::with(c, k, v)).is_none();
            if gone(self, i, far) {
                return Some(condition::below(self, c, i, far));
            }
            let row = rows.iter().copied().find(|&r| gone(self, r, roomy.int(r)))?;
            return Some(condition::below(self, c, row, roomy.int(row)));
        }
        None
    }

    /// Scalars that are only added to indices.
    fn offsets(&self) -> Vec<usize> {
        let space = self.driver.lab.space;
        (0..space.slots.len()).filter(|&i| space.slots[i].is_offset()).collect()
    }

    /// A store through an array of indices races where two of them are equal. Who writes so means a permutation, unless
    /// the store adds to what it finds: then equal ones make sense, and it lacks an atomic.
    fn equal_indices(&mut self, trial: &Trial) -> Option<String> {
        let shown = self.shown(trial)?;
        let [a, b] = &shown.finding.accesses[..] else { return None };
        let one_store = a.op == "write" && a.place == b.place;
        let space = self.driver.lab.space;
        let mut indices = self.indices(shown.candidate, shown.finding).into_iter();
        let array = indices.find(|&i| match one_store {
            // However the launch ends with distinct ones.
            true => !self.shows(&self.with_contents(shown.candidate, &[(i, Contents::Swapped)])),
            false => self.is_gone_with(&shown, &[i], Contents::Swapped),
        })?;
        Some(format!("two elements of {} are equal", space.arrays[array].name))
    }

    /// Whether the two accesses would have no sensible result at one element, in any order.
    fn may_be_apart(&self, finding: &Finding) -> bool {
        let space = self.driver.lab.space;
        let is_plain = |a: &Access| a.op == "read" || a.op == "write";
        let adds = |a: &Access| {
            let mut updates = space.hints.updates.iter().map(|&s| space.kernel.site(s));
            updates.any(|s| is_at(space.kernel, s, a))
        };
        finding.accesses.iter().all(|a| is_plain(a) && !adds(a))
    }

    /// Arrays of indices of stores, with contents of ours that may be to blame for a race.
    fn indices(&self, c: &Candidate, finding: &Finding) -> Vec<usize> {
        let space = self.driver.lab.space;
        if !self.may_be_apart(finding) {
            return Vec::new();
        }
        let usual = space.plain();
        let is_ours = |&i: &usize| {
            let array = &space.arrays[i];
            let chosen = c.contents[i] != usual.contents[i]
                || c.cells.iter().any(|(param, ..)| *param == array.param);
            array.written_through && chosen
        };
        (0..space.arrays.len()).filter(is_ours).collect()
    }

    /// Whether a bug of a launch that came to no end, and is not made again, may be the doing of a value of ours: elements
    /// that led both threads to one place, where others might not have; sizes that are not round; or the end itself,
    /// because of which something was not written.
    pub(crate) fn needs_an_end(&self, c: &Candidate, finding: &Finding) -> bool {
        match self.key.kind {
            Kind::DataRace | Kind::MissingFence => {
                let led = || !self.leaders(&finding.accesses).is_empty();
                let crooked = || self.is_of_vectors(finding) && self.has_sizes();
                self.may_be_apart(finding) && led() || crooked()
            }
            Kind::Misaligned => self.may_blame(c, finding),
            Kind::UninitialisedRead => true,
            _ => false,
        }
    }

    /// Whether some value of ours would have to be varied before a bug is believed.
    pub(crate) fn may_blame(&self, c: &Candidate, finding: &Finding) -> bool {
        let space = self.driver.lab.space;
        let any = |f: &dyn Fn(&Slot) -> bool| space.slots.iter().any(f);
        match self.key.kind {
            Kind::UninitialisedRead => space.free_block().contains(&true) || self.has_sizes(),
            Kind::DataRace | Kind::MissingFence => {
                any(&|s| s.is_row_length() || s.is_offset() || s.hints.bounds_loop)
                    || !self.indices(c, finding).is_empty()
                    || !self.sorted(finding).is_empty()
                    || !self.numbering(finding).is_empty()
                    || self.is_of_vectors(finding) && self.has_sizes()
            }
            Kind::Misaligned => self.has_sizes(),
            _ => false,
        }
    }

    /// Whether integers are among what is left to choose.
    fn has_sizes(&self) -> bool {
        self.driver.lab.space.slots.iter().any(|s| s.ty.is_int())
    }

    /// The arrays whose elements lead to the places of these accesses, of all of them.
    pub(crate) fn leaders<'f>(&self, accesses: impl IntoIterator<Item = &'f Access>) -> Vec<usize> {
        let space = self.driver.lab.space;
        let kernel = space.kernel;
        let lead = |array: usize, access: &Access| {
            let mut sites = kernel.sites.iter().enumerate();
            sites.any(|(s, site)| is_at(kernel, site, access) && space.leads(array, s))
        };
        let accesses: Vec<&Access> = accesses.into_iter().collect();
        let all = 0..space.arrays.len();
        all.filter(|&i| accesses.iter().all(|a| lead(i, a))).collect()
    }

    /// What can be said of a bug whose launch came to no end, and is not made again as it is: contents of ours that plain
    /// ones were tried before, or that are not sorted, or without which nobody begins.
    pub(crate) fn blame_unfinished(&mut self, candidate: &Candidate, finding: &mut Finding) {
        let condition = match self.key.kind {
            Kind::DataRace | Kind::MissingFence => {
                let strange = self.strange_elements(candidate, finding);
                let falls = || self.falling(candidate, finding).first().copied();
                let strange = strange.or_else(|| Some(self.do_not_ascend(falls()?)));
                strange.or_else(|| self.unsorted(&Shown { candidate, finding, wrong: 0 }))
            }
            Kind::Deadlock => self.without_first_link(candidate),
            _ => None,
        };
        if let Some(condition) = condition {
            finding.holds_when = Some(crate::condition::when(condition));
            finding.severity = Severity::Warning;
        }
    }

    /// Whether a bug goes away with other elements of some arrays, though its places are reached, and nothing else goes
    /// wrong.
    fn is_gone_with(&mut self, shown: &Shown, arrays: &[usize], contents: Contents) -> bool {
        let all: Vec<(usize, Contents)> = arrays.iter().map(|&array| (array, contents)).collect();
        self.gone_with(shown, &all).is_some()
    }

    pub(crate) fn with_contents(&self, c: &Candidate, arrays: &[(usize, Contents)]) -> Candidate {
        let mut c = c.clone();
        for &(array, contents) in arrays {
            c.contents[array] = contents;
            let param = self.driver.lab.space.arrays[array].param;
            c.cells.retain(|(p, ..)| *p != param);
        }
        c
    }

    pub(crate) fn gone_with(
        &mut self,
        shown: &Shown,
        arrays: &[(usize, Contents)],
    ) -> Option<Rc<Trial>> {
        let other = self.other(&self.with_contents(shown.candidate, arrays))?;
        (self.is_gone_from(&other, shown.wrong) && self.reaches(&other)).then_some(other)
    }

    /// Whether a launch ended without the bug, and with no more that goes wrong besides than this.
    fn is_gone_from(&self, trial: &Trial, before: usize) -> bool {
        is_no_worse(trial, before) && same(trial, self.key).is_none()
    }

    /// Whether bugs of the same kind and memory take the turn of one that is gone.
    pub(crate) fn has_others(&self, trial: &Trial, finding: &Finding) -> bool {
        let object = |f: &Finding| f.memory.as_ref().map(|m| m.object.clone());
        let alike = |f: &Finding| f.kind == finding.kind && object(f) == object(finding);
        trial.outcome.findings.iter().any(alike)
    }

    /// Whether some thread was at each place of the bug: what does nothing there says nothing of it.
    pub(crate) fn reaches(&self, trial: &Trial) -> bool {
        let kernel = self.driver.lab.space.kernel;
        self.key.places().all(|place| {
            let mut sites = kernel.sites.iter().zip(&trial.outcome.coverage.sites);
            sites.any(|(site, &reached)| reached && place_of(kernel, site) == place)
        })
    }

    /// Whether some thread was at the memory of the bug, be it elsewhere in the source: a branch need not be taken in every
    /// launch, but one in which nobody comes near says nothing.
    fn touches(&self, trial: &Trial) -> bool {
        let kernel = self.driver.lab.space.kernel;
        let is_of_bug = |site: &Site| self.key.places().any(|p| p == place_of(kernel, site));
        let there: Vec<&Site> = kernel.sites.iter().filter(|s| is_of_bug(s)).collect();
        let is_there =
            |s: &Site| there.iter().any(|t| t.space == s.space && t.through == s.through);
        let mut sites = kernel.sites.iter().zip(&trial.outcome.coverage.sites);
        sites.any(|(site, &reached)| reached && is_there(site))
    }

    /// Another launch, if there is time for it.
    pub(crate) fn other(&mut self, candidate: &Candidate) -> Option<Rc<Trial>> {
        let trial = self.driver.again(candidate, PATIENCE);
        let ended = trial.as_ref().is_some_and(|t| t.outcome.incomplete.is_none());
        self.hurried |= !ended && self.driver.is_over();
        trial
    }

    /// Whether a launch is clean though threads are at the memory of the bug.
    pub(crate) fn is_clean_there(&mut self, candidate: &Candidate) -> bool {
        self.without_bug(candidate, 0).is_some_and(|t| self.touches(&t))
    }

    /// Whether a launch ends without the bug, and with every access where it belongs.
    pub(crate) fn is_clean(&mut self, candidate: &Candidate) -> bool {
        self.is_no_worse(candidate, 0)
    }

    /// Whether a launch ends without the bug, and with no more that goes wrong besides than this.
    pub(crate) fn is_no_worse(&mut self, candidate: &Candidate, before: usize) -> bool {
        self.without_bug(candidate, before).is_some()
    }

    pub(crate) fn without_bug(
        &mut self,
        candidate: &Candidate,
        before: usize,
    ) -> Option<Rc<Trial>> {
        let possible = self.driver.lab.space.is_possible(candidate);
        let trial = possible.then(|| self.other(candidate)).flatten()?;
        self.is_gone_from(&trial, before).then_some(trial)
    }

    /// Whether another launch has the bug.
    pub(crate) fn shows(&mut self, candidate: &Candidate) -> bool {
        let possible = self.driver.lab.space.is_possible(candidate);
        let trial = possible.then(|| self.other(candidate)).flatten();
        trial.is_some_and(|t| same(&t, self.key).is_some())
    }
}
