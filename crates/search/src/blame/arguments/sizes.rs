//! Whether a bug needs sizes or iteration counts that Lockstep chose.

use lockstep_finding::Claim;
use lockstep_finding::launch::{Dimension, Expr, Operator};

use crate::condition::{boundary, with};
use crate::explore::inquiry::{Inquiry, Shown};
use crate::space::candidate::{Candidate, Gene};
use crate::space::slots::Slot;

/// A bug in a loop shows within this many iterations.
const LEAST_ROUNDS: i64 = 3;
/// Threads of a block that has enough iterations.
const WIDE: u32 = 32;

impl Inquiry<'_, '_> {
    /// A loop that halves or doubles a value in each iteration has as many iterations as the logarithm of the number of
    /// threads, or of elements: Lockstep may have chosen more. A bug within an iteration also shows with the right
    /// number of them.
    pub(in crate::blame) fn many_rounds(&mut self, shown: &Shown) -> Option<Claim> {
        let space = self.driver.lab.space;
        let log = |c: &Candidate| i64::from(c.block.iter().product::<u32>().ilog2());
        let is_count = |s: &Slot| {
            let h = &s.hints;
            s.ty.is_int() && h.bounds_loop && !s.is_guarded() && !h.reaches_address
        };
        let counts: Vec<usize> =
            (0..space.slots.len()).filter(|&i| is_count(&space.slots[i])).collect();
        // A block that was shrunk has too few iterations.
        let c = &match log(shown.candidate) {
            n if n > LEAST_ROUNDS || counts.is_empty() => shown.candidate.clone(),
            _ => {
                let [_, y, z] = shown.candidate.block;
                let wider = [[WIDE, y, z], space.plain().block];
                let with = |block| Candidate { block, ..shown.candidate.clone() };
                wider.into_iter().map(with).find(|c| self.shows(c))?
            }
        };
        counts.into_iter().find_map(|i| {
            let fewer = [log(c) + 1, log(c), log(c) - 1];
            let fewer = fewer.into_iter().filter(|&n| n >= LEAST_ROUNDS && n < c.int(i));
            let clean =
                fewer.collect::<Vec<_>>().into_iter().find(|&n| self.is_clean(&with(c, i, n)))?;
            Some(boundary::below(self, c, i, clean))
        })
    }

    /// Bugs that only show for very small sizes: a pattern of one letter, an image of two rows. In an otherwise
    /// ordinary launch, a size of at most half the usual is made usual again, without being a round number; if none of
    /// these launches has the bug, it needs the small size. Where the addresses depend on elements of arrays, sizes are
    /// not the cause.
    pub(in crate::blame) fn small_sizes(&mut self, shown: &Shown) -> Option<Claim> {
        let space = self.driver.lab.space;
        if !self.leaders(&shown.finding.accesses).is_empty() {
            return None;
        }
        let c = shown.candidate;
        let plain = space.plain();
        let is_size = |&i: &usize| space.slots[i].is_size() && !space.related.gives_slot(i);
        let small = |i: &usize| c.int(*i) >= 0 && c.int(*i) <= plain.int(*i) / 2;
        let sizes: Vec<usize> = (0..space.slots.len()).filter(is_size).filter(small).collect();
        sizes.into_iter().find_map(|i| {
            let (v, usual) = (c.int(i), plain.int(i));
            let ordinary = with(&plain, i, v);
            let shows = self.shows(&ordinary);
            let mut larger = vec![usual / 2 + 1, usual - usual / 4, usual - 1, usual];
            larger.retain(|&n| n > v);
            larger.dedup();
            let clean = |&n: &i64| self.is_clean_there(&with(&plain, i, n));
            let clean = shows && !larger.is_empty() && larger.iter().all(clean);
            clean.then(|| boundary::below(self, &ordinary, i, larger[0]))
        })
    }

    /// Where one block is meant to process a whole row, sizes that take several blocks leave elements unwritten.
    pub(in crate::blame) fn several_blocks(&mut self, shown: &Shown) -> Option<Claim> {
        let space = self.driver.lab.space;
        let c = shown.candidate;
        let mut one = c.clone();
        let mut sizes = Vec::new();
        for (i, slot) in space.slots.iter().enumerate() {
            let (block, v) = (c.block[slot.axis] as i64, c.int(i));
            if !slot.ty.is_float() && v > block && v % block == 0 {
                one.genes[i] = Gene::Int(block);
                let threads = Expr::name(Dimension::Block(slot.axis));
                sizes.push(Claim::compare(Expr::name(&slot.name), Operator::Gt, threads));
            }
        }
        (!sizes.is_empty() && self.is_clean(&one)).then(|| Claim::all(sizes))
    }

    /// A value that an index is compared with for equality may be the number of threads, or one less: it selects the
    /// last one.
    pub(in crate::blame) fn last_of_threads(&mut self, shown: &Shown) -> Option<Claim> {
        let space = self.driver.lab.space;
        let c = shown.candidate;
        let finding = shown.finding;
        let picks = |&i: &usize| {
            let (h, ty) = (&space.slots[i].hints, space.slots[i].ty);
            // A value that also limits how far threads go is not such a count.
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
                let other = self.without_bug(&with(c, i, n), 0);
                other.is_some_and(|t| self.touches(&t) && !self.has_others(&t, finding))
            })?;
            Some(boundary::below(self, c, i, clean))
        })
    }

    /// Whether there are integers left to choose.
    pub(in crate::blame) fn has_sizes(&self) -> bool {
        self.driver.lab.space.slots.iter().any(|s| s.ty.is_int())
    }
}
