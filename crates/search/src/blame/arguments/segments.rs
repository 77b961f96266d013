//! Whether a race needs segments of an array that are too close together.
//!
//! Where the elements of one array are the starts of the segments of threads or blocks in another, the caller knows
//! that no segment reaches into the next.

use lockstep_finding::{Access, Claim, Contents as Elements, Finding, Statement};
use lockstep_kernel::{AtomicOp, Kernel, Op, Operand, SiteId};

use crate::explore::inquiry::{Inquiry, Shown, wrong};
use crate::space::arrays::FreeArray;
use crate::space::candidate::{Candidate, Contents};
use crate::space::places::is_at;

impl Inquiry<'_, '_> {
    /// Where an array holds the start of each thread's segment, segments that are close together overlap.
    pub(in crate::blame) fn close_segments(&mut self, shown: &Shown) -> Option<Claim> {
        let space = self.driver.lab.space;
        if !self.may_be_apart(shown.finding) && !self.is_of_parts(shown.finding) {
            return None;
        }
        let is_read = |array: &FreeArray| {
            array.is_of_ints() && array.matters && !array.written && !array.written_through
        };
        let those = |f: &dyn Fn(&FreeArray) -> bool| -> Vec<usize> {
            (0..space.arrays.len()).filter(|&i| f(&space.arrays[i])).collect()
        };
        let mut through = those(&|a| a.written_through);
        // Another array may hold the segment of each thread: each is selected once.
        let picks = those(&|a| is_read(a) && a.reaches_address);
        through.retain(|&i| !self.meets_by_tickets(shown, i, &picks));
        let with_picks = |mut contents: Vec<(usize, Contents)>| {
            let others = picks.iter().filter(|&&k| contents.iter().all(|(i, _)| *i != k));
            let others: Vec<_> = others.map(|&k| (k, Contents::Iota)).collect();
            contents.extend(others);
            contents
        };
        let distances =
            [(Contents::Spaced, Contents::SPACE), (Contents::Begins(Contents::FAR), Contents::FAR)];
        let mut apart = through.iter().flat_map(|&i| distances.map(|(c, n)| (i, c, n)));
        let apart = apart.find(|&(i, contents, distance)| {
            self.gone_with(shown, &with_picks(vec![(i, contents)])).is_some()
                && !self.meets_however_far(shown, i, &with_picks)
                && {
                    let scattered = with_picks(vec![(i, Contents::Scattered(distance))]);
                    !self.shows(&self.with_contents(shown.candidate, &scattered))
                }
        });
        if let Some((array, _, distance)) = apart {
            let are = Elements::CloserThan(distance as i64);
            return Some(space.elements_are(&[array], are));
        }
        // Another array may hold the ends: no segment extends beyond its end into the next.
        let ends = those(&is_read);
        let mut pairs = through.iter().flat_map(|&i| ends.iter().map(move |&j| (i, j)));
        let (i, j) = pairs.find(|&(i, j)| {
            for part in Contents::PARTS {
                let contents = vec![(i, Contents::Begins(part)), (j, Contents::Ends(part))];
                let parted = self.with_contents(shown.candidate, &with_picks(contents));
                let Some(other) = self.other(&parted) else { return false };
                // With segments that are too short, the source locations of the bug may not be reached.
                if self.reaches(&other) || other.outcome.incomplete.is_some() {
                    let gone = self.is_gone_from(&other, shown.wrong);
                    return gone && !self.has_others(&other, shown.finding);
                }
            }
            false
        })?;
        let [begin, end] = [i, j].map(|i| space.arrays[i].name.clone());
        Some(Statement::PartsOverlap { begin, end }.into())
    }

    /// A launch that was shrunk has few threads, which may conflict only where segments are close. If those of a usual
    /// launch conflict even with segments so far apart that none can reach the next, and each thread selects its
    /// segment by an element of its own, then there are more threads than such elements can distinguish.
    fn meets_however_far(
        &mut self,
        shown: &Shown,
        array: usize,
        with_picks: &dyn Fn(Vec<(usize, Contents)>) -> Vec<(usize, Contents)>,
    ) -> bool {
        let space = self.driver.lab.space;
        let plain = space.plain();
        let wide = Candidate {
            grid: plain.grid,
            block: plain.block,
            genes: plain.genes,
            ..shown.candidate.clone()
        };
        let wide = space.agreeing(&wide);
        let parts = Contents::PARTS.into_iter().filter(|&part| part >= Contents::SPACE);
        parts.chain([Contents::FAR]).collect::<Vec<_>>().into_iter().all(|part| {
            let contents = with_picks(vec![(array, Contents::Begins(part))]);
            let apart = self.with_contents(&wide, &contents);
            let trial = space.is_possible(&apart).then(|| self.other(&apart)).flatten();
            trial.is_some_and(|t| {
                let ended = t.outcome.incomplete.is_none() && wrong(&t) <= shown.wrong;
                ended && self.is_in(&t)
            })
        })
    }

    /// Numbers that an atomic draws one at a time are distinct for each thread, whatever the counter's initial value.
    /// If counters are far apart, and two threads that draw from the same one still conflict, the distance of the
    /// counters is not the cause.
    fn meets_by_tickets(&mut self, shown: &Shown, counters: usize, picks: &[usize]) -> bool {
        let space = self.driver.lab.space;
        let array = &space.arrays[counters];
        let leads = self.leaders(&shown.finding.accesses).contains(&counters);
        if !leads || !array.synchronises || !draws_single(space.kernel, array) {
            return false;
        }
        let threads = shown.candidate.threads().max(2);
        let others = picks.iter().filter(|&&k| k != counters);
        let mut contents: Vec<(usize, Contents)> =
            others.map(|&k| (k, Contents::Below(threads / 2))).collect();
        contents.push((counters, Contents::Spaced));
        self.shows(&self.with_contents(shown.candidate, &contents))
    }

    /// Whether two blocks conflict where each thread has its position in a segment that an element selects. A kernel
    /// that adds the thread's position to segments of blocks expects disjoint segments; for elements that lead each
    /// thread separately this cannot be concluded.
    fn is_of_parts(&self, finding: &Finding) -> bool {
        let space = self.driver.lab.space;
        let has_place = |a: &Access| {
            let mut sites = space.kernel.sites.iter().zip(&space.hints.addressed_by);
            sites.any(|(site, axes)| axes.contains(&true) && is_at(space.kernel, site, a))
        };
        let [a, b] = &finding.accesses[..] else { return false };
        a.block != b.block && has_place(a) && has_place(b)
    }
}

/// Whether the kernel only increments the elements of an array, by one each.
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
